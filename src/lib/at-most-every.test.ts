import { expect, it } from 'vitest'
import { atMostEvery } from './at-most-every.js'

it('asks once for all who come within the time, and again after it', async () => {
  let now = 5000
  let asked = 0
  const read = atMostEvery(
    1000,
    async () => ++asked,
    () => now,
  )
  expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1])
  now += 999
  expect(await read()).toBe(1)
  now += 1
  expect(await read()).toBe(2)
})

it('asks once for all who come while it takes longer than the time', async () => {
  let now = 0
  let asked = 0
  let finish = () => {}
  const read = atMostEvery(
    1000,
    () =>
      new Promise<number>((resolve) => {
        asked++
        finish = () => resolve(asked)
      }),
    () => now,
  )
  const first = read()
  now += 5000
  const second = read()
  finish()
  expect(await Promise.all([first, second])).toEqual([1, 1])
})

it('tries again after a failure', async () => {
  let now = 0
  let asked = 0
  const read = atMostEvery(
    1000,
    async () => {
      if (++asked === 1) throw new Error('away')
      return asked
    },
    () => now,
  )
  await expect(read()).rejects.toThrow('away')
  now += 1000
  expect(await read()).toBe(2)
})
