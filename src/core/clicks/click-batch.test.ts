import { describe, expect, it } from 'vitest'
import { addLine, lineFilter, linesIn } from './click-batch.js'

describe('ranges of lines', () => {
  const ranges: number[] = []
  for (const line of [2, 3, 4, 7, 10, 11]) addLine(ranges, line)

  it('hold neighbours together', () => expect(ranges).toEqual([2, 4, 7, 7, 10, 11]))

  it('count lines', () => {
    expect([0, 1, 2, 4, 7, 10, 11, 99].map((after) => linesIn(ranges, after))).toEqual([6, 6, 5, 3, 2, 1, 0, 0])
    expect(linesIn([])).toBe(0)
  })

  it('know which lines they hold', () => {
    const has = lineFilter(ranges)
    const held = Array.from({ length: 12 }, (_, index) => index + 1).filter((line) => has(line))
    expect(held).toEqual([2, 3, 4, 7, 10, 11])
    expect(lineFilter([])(1)).toBe(false)
  })
})
