import { expect, it } from 'vitest'
import { compareWords } from './same-in-words.js'

const seed = Number(process.env.SEED ?? Math.floor(Date.now() / 1000))

it(`answers many more random requests alike in two words (SEED=${seed})`, async () => {
  const { operations, requests } = await compareWords(seed, 40)
  expect(requests).toBeGreaterThan(30 * operations)
}, 600_000)
