import { describe, expect, it } from 'vitest'
import { cornerShapes, dotPatterns, frameIds, plainDesign, readDesign } from './design.js'
import { drawQrCode } from './draw.js'
import { layoutOf } from './layout.js'
import { moduleMatrix } from './matrix.js'
import { toSvg } from './svg.js'

const content = 'https://sho.rt/2uGBkz?r=qr'

describe('drawQrCode', () => {
  it.each(frameIds.map((id) => ({ id })))('keeps a quiet zone of four modules inside of the frame $id', (frame) => {
    const text = { top: { content: 'Above' }, bottom: { content: 'Below' } }
    const design = readDesign({ frame, text, branding: { shortlinkBrand: true } })
    const { panel, code, width, height } = layoutOf(design, moduleMatrix(content, design))
    const [right, bottom] = [panel.x + panel.width, panel.y + panel.height]
    const around = [code.x - panel.x, code.y - panel.y, right - code.x - code.width, bottom - code.y - code.height]
    expect(Math.min(...around)).toBeCloseTo(4, 9)
    expect(Math.min(panel.x, panel.y, width - right, height - bottom)).toBeGreaterThanOrEqual(0)
  })

  it('draws each pattern, corner and frame in its own way', () => {
    const corners = (shape: string) => ({ corner_1: { shape }, corner_2: { shape }, corner_3: { shape } })
    const pictures = [
      ...dotPatterns.map((dotPatternType) => readDesign({ dotPatternType })),
      ...cornerShapes.slice(1).map((shape) => readDesign({ corners: corners(shape) })),
      ...frameIds.slice(1).map((id) => readDesign({ frame: { id } })),
    ].map((design) => toSvg(drawQrCode(content, design)))
    expect(new Set(pictures).size).toBe(dotPatterns.length + cornerShapes.length - 1 + frameIds.length - 1)
  })

  it('is the same picture for the same input', () => {
    const picture = () => toSvg(drawQrCode(content, plainDesign), 300)
    expect(picture()).toBe(picture())
    expect(picture()).toContain('width="300" height="300"')
  })

  it('writes texts as outlines', () => {
    const design = readDesign({
      frame: { id: 'script', text: { primary: 'Übung <1>' } },
      text: { center: { content: 'Да' } },
    })
    const svg = toSvg(drawQrCode(content, design))
    expect(svg).not.toMatch(/<text|font|Übung|Да/)
  })
})
