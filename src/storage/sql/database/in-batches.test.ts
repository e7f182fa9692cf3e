import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { inBatches } from './in-batches.js'

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

it('never has more runs under way than allowed', async () => {
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
