import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { inBatches, LostRace, retrying } from './transact.js'

const never = (): boolean => false

it('retries after a transient error', async () => {
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

it('throws any other error at once', async () => {
  let attempts = 0
  const failing = retrying(never, async () => {
    attempts += 1
    throw new Error('for good')
  })
  await expect(failing).rejects.toThrow('for good')
  expect(attempts).toBe(1)
})

it('gives up in the end', async () => {
  const failing = retrying(never, async () => {
    throw new LostRace('again')
  })
  await expect(failing).rejects.toMatchObject({ code: 'TEMPORARILY_UNAVAILABLE', cause: { message: 'again' } })
})

describe('a batch', () => {
  it('runs callers of one turn together and answers each', async () => {
    const runs: number[][] = []
    const double = inBatches(
      async (items: readonly number[]) => {
        runs.push([...items])
        return items.map((item) => item * 2)
      },
      { size: 3, parallel: 1 },
    )
    expect(await Promise.all([1, 2, 3, 4].map(double))).toEqual([2, 4, 6, 8])
    expect(runs).toEqual([[1, 2, 3], [4]])
  })

  it('never exceeds the number of concurrent runs', async () => {
    let running = 0
    let most = 0
    const echo = inBatches(
      async (items: readonly number[]) => {
        running += 1
        most = Math.max(most, running)
        await setImmediate()
        running -= 1
        return items
      },
      { size: 1, parallel: 2 },
    )
    expect(await Promise.all([1, 2, 3, 4, 5].map(echo))).toEqual([1, 2, 3, 4, 5])
    expect(most).toBe(2)
  })

  it('fails only the callers whose own item fails', async () => {
    const careful = inBatches(
      async (items: readonly string[]) => {
        if (items.includes('bad')) throw new Error('bad item')
        return items
      },
      { size: 10, parallel: 1 },
    )
    const answers = await Promise.allSettled(['one', 'bad', 'two'].map(careful))
    expect(answers.map((answer) => answer.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await careful('later')).toBe('later')
  })
})
