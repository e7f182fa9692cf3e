import { expect, it } from 'vitest'
import { rounds } from '../support/rounds.js'
import { compareWords } from './same-in-words.js'

const seed = Number(process.env.SEED ?? 20)

it(
  `answers random requests for every operation alike in two words (SEED=${seed})`,
  async () => {
    const { operations, statuses } = await compareWords(seed, rounds)
    expect(operations).toBeGreaterThan(150)
    // Of no use if most are refused for the same reason.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 403, 404]))
    expect(statuses.get(200)).toBeGreaterThan(50)
  },
  120_000 * rounds,
)
