import { describe, expect, it } from 'vitest'
import { dayLength } from './visitor.js'
import { halfBlock, VisitorNumbers } from './visitor-numbers.js'

const salts = { of: (day: number) => `salt of ${day}` }

function numbersOf(
  numbers: VisitorNumbers,
  visits: readonly (readonly [at: number, address: string, agent: string])[],
) {
  const blocks = Uint32Array.from(visits.flatMap(([, address, agent]) => [...halfBlock(address), ...halfBlock(agent)]))
  const at = Float64Array.from(visits, ([moment]) => moment)
  return [...numbers.of(at, blocks)]
}

describe('numbers of visitors', () => {
  const visits = [
    [0, '8.8.8.8', 'Firefox'],
    [dayLength - 1, '8.8.8.8', 'Firefox'],
    [dayLength, '8.8.8.8', 'Firefox'],
    [0, '8.8.8.8', 'Safari'],
    [0, '8.8.4.4', 'Firefox'],
    [1, '8.8.8.8', 'Firefox'],
  ] as const

  it('are the same for an address and an agent on one day, and for nothing else', () => {
    const [first, sameDay, nextDay, ...others] = numbersOf(new VisitorNumbers(salts), visits)
    expect(sameDay).toBe(first)
    expect(others.at(-1)).toBe(first)
    expect(new Set([first, nextDay, ...others]).size).toBe(4)
  })

  it('are the same in whatever order and company, and in the next run', () => {
    const numbers = new VisitorNumbers(salts)
    const together = numbersOf(numbers, visits)
    expect(numbersOf(numbers, visits.toReversed())).toEqual(together.toReversed())
    expect(visits.flatMap((visit) => numbersOf(numbers, [visit]))).toEqual(together)
    expect(numbersOf(new VisitorNumbers(salts), visits)).toEqual(together)
    expect(numbersOf(numbers, [])).toEqual([])
  })

  it('say nothing to who does not know the salt', () => {
    const others = new VisitorNumbers({ of: (day) => `another salt of ${day}` })
    const known = new Set(numbersOf(new VisitorNumbers(salts), visits))
    expect(numbersOf(others, visits).filter((number) => known.has(number))).toEqual([])
  })

  it('spread over 64 bits', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => [0, `8.8.${index >> 8}.${index & 255}`, ''] as const)
    const numbers = numbersOf(new VisitorNumbers(salts), many)
    expect(new Set(numbers).size).toBe(many.length)
    for (let bit = 0n; bit < 64n; bit++) {
      const set = numbers.filter((number) => ((number >> bit) & 1n) === 1n).length
      expect(Math.abs(set - 10_000)).toBeLessThan(500)
    }
  })
})
