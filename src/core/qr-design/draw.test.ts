import { describe, expect, it } from 'vitest'
import { plainDesign } from './design.js'
import { drawQrCode, quietZone } from './draw.js'
import { toSvg } from './svg.js'

describe('drawQrCode', () => {
  it('keeps a quiet zone of four modules on each side', () => {
    const { width, height, modules } = drawQrCode('https://sho.rt/a', plainDesign)
    expect({ width, height }).toEqual({ width: modules + 2 * quietZone, height: modules + 2 * quietZone })
  })

  it('is the same picture for the same input', () => {
    const picture = () => toSvg(drawQrCode('https://sho.rt/a', plainDesign), 300)
    expect(picture()).toBe(picture())
    expect(picture()).toContain('width="300" height="300"')
  })
})
