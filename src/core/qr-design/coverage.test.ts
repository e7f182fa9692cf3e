import { describe, expect, it } from 'vitest'
import { coveredShare, mostCovered } from './coverage.js'
import { readDesign } from './design.js'
import { layoutOf } from './layout.js'
import { moduleMatrix } from './matrix.js'

describe('what covers the centre', () => {
  const lengths = [1, 20, 40, 60, 100, 300, 600, 840]

  it.each([
    ['a logo', readDesign({ logo: { imageGuid: 'Ilogo' } })],
    ['a word', readDesign({ text: { center: { content: 'MENU' } } })],
    ['a long text', readDesign({ text: { center: { content: 'ABCDEFGHIJKLMNOP' } } })],
  ])('is %s that hides less than error correction makes up for, and no alignment pattern', (_name, design) => {
    for (const length of lengths) {
      const matrix = moduleMatrix('x'.repeat(length), design)
      const { cover } = layoutOf(design, matrix)
      if (!cover) throw new Error('nothing is covered')
      expect(coveredShare(matrix, cover)).toBeLessThanOrEqual(mostCovered)
      expect(cover.width).toBeGreaterThanOrEqual(5)
      for (const [x, y] of matrix.alignments) {
        const isBeside = x + 5 <= cover.x || x >= cover.x + cover.width
        expect(isBeside || y + 5 <= cover.y || y >= cover.y + cover.height).toBe(true)
      }
    }
  })

  it('is counted in codewords', () => {
    const matrix = moduleMatrix('https://sho.rt/a', readDesign({}))
    const { size } = matrix
    expect(coveredShare(matrix, { x: 0, y: 0, width: size, height: size })).toBe(1)
    expect(coveredShare(matrix, { x: 0, y: 0, width: 7, height: 7 })).toBe(0)
    const one = coveredShare(matrix, { x: size - 1, y: size - 1, width: 1, height: 1 })
    // Version 2 has 44 codewords.
    expect(one).toBeCloseTo(1 / 44, 6)
  })
})
