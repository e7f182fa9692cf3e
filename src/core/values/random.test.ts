import { expect, it } from 'vitest'
import { randomBase62 } from './random.js'

it('draws every character about equally often, and never twice the same text', () => {
  const drawn = Array.from({ length: 20_000 }, () => randomBase62(31))
  expect(new Set(drawn).size).toBe(drawn.length)
  const counts = new Map<string, number>()
  for (const character of drawn.join('')) counts.set(character, (counts.get(character) ?? 0) + 1)
  expect(counts.size).toBe(62)
  // 10,000 of each are expected; six standard deviations are 600.
  for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(600)
})
