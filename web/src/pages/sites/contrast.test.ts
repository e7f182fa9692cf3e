import { describe, expect, it } from 'vitest'
import { contrast, nearestReadable, shownRatio } from './contrast.js'

describe('contrast', () => {
  it.each([
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#777777', '#ffffff', 4.4],
    ['#767676', '#ffffff', 4.5],
  ])('of %s and %s is %d', (one, other, ratio) => {
    expect(shownRatio(contrast(one, other))).toBe(ratio)
    expect(contrast(other, one)).toBe(contrast(one, other))
  })

  it('has a nearest colour that holds on every ground, and leaves what holds', () => {
    expect(nearestReadable('#123456', '#ffffff')).toBe('#123456')
    for (let value = 0; value <= 255; value += 5) {
      const ground = `#${value.toString(16).padStart(2, '0').repeat(3)}`
      expect(contrast(nearestReadable('#ff8800', ground), ground)).toBeGreaterThanOrEqual(4.5)
    }
  })

  it('goes the shorter way', () => {
    // A light grey on white becomes darker, on black it may stay.
    expect(contrast(nearestReadable('#999999', '#ffffff'), '#ffffff')).toBeLessThan(5)
    expect(nearestReadable('#999999', '#000000')).toBe('#999999')
  })
})
