import { describe, expect, it } from 'vitest'
import { contrast, greyOf, over, rgba } from './color.js'
import { colorsOf, paintOver } from './paint.js'

const box = { x: 0, y: 0, width: 100, height: 100 }
const gradient = (style: 'linear' | 'radial', angle: number, ...colors: readonly string[]) => ({
  style,
  angle,
  colors: colors.map((color, index) => ({ color, offset: (100 * index) / (colors.length - 1) })),
  excludeCorners: false,
})

describe('colours along a gradient', () => {
  it('go from the first to the last, whatever the angle', () => {
    const right = colorsOf(paintOver(box, gradient('linear', 0, '#000000', '#ffffff'), '#123456'))
    expect([right(0, 50), right(100, 50)]).toEqual([rgba('#000000'), rgba('#ffffff')])
    expect(greyOf(right(25, 80))).toBeCloseTo(255 / 4, 6)
    const down = colorsOf(paintOver(box, gradient('linear', 90, '#000000', '#ffffff'), '#123456'))
    expect(greyOf(down(80, 25))).toBeCloseTo(255 / 4, 6)
  })

  it('go from the middle to the corners', () => {
    const at = colorsOf(paintOver(box, gradient('radial', 0, '#ffffff', '#000000'), '#123456'))
    expect(at(50, 50)).toEqual(rgba('#ffffff'))
    expect(greyOf(at(0, 0))).toBeCloseTo(0, 6)
    expect(greyOf(at(75, 75))).toBeCloseTo(255 / 2, 6)
  })

  it('let through as much as their opacity says', () => {
    const at = colorsOf(paintOver(box, gradient('linear', 0, '#00000000', '#000000'), '#123456'))
    const seen = (x: number) => greyOf(over(at(x, 50), rgba('#ffffff')))
    expect([seen(0), seen(50), seen(100)]).toEqual([255, 127.5, 0])
  })

  it('have a contrast that falls with the opacity', () => {
    const white = rgba('#ffffff')
    const [opaque, half] = ['#000000', '#00000080'].map((color) => contrast(over(rgba(color), white), white))
    expect(opaque).toBeCloseTo(21, 6)
    expect(half).toBeCloseTo(4.004, 3)
  })
})
