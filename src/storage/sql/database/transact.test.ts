import { expect, it } from 'vitest'
import { LostRace, retrying } from './transact.js'

const never = (): boolean => false

it('tries again after an error that passes by itself', async () => {
  let attempts = 0
  const answer = await retrying(
    (error) => error instanceof RangeError,
    async () => {
      attempts += 1
      if (attempts < 3) throw new RangeError('not yet')
      if (attempts < 4) throw new LostRace('overtaken')
      return 'done'
    },
  )
  expect(answer).toBe('done')
  expect(attempts).toBe(4)
})

it('lets any other error rise at once', async () => {
  let attempts = 0
  const failing = retrying(never, async () => {
    attempts += 1
    throw new Error('for good')
  })
  await expect(failing).rejects.toThrow('for good')
  expect(attempts).toBe(1)
})

it('gives up in the end: the caller may come back later', async () => {
  const failing = retrying(never, async () => {
    throw new LostRace('again')
  })
  await expect(failing).rejects.toMatchObject({ code: 'TEMPORARILY_UNAVAILABLE', cause: { message: 'again' } })
})
