import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { readDesign } from '../../core/qr-design/design.js'
import { drawQrCode } from '../../core/qr-design/draw.js'
import { layoutOf } from '../../core/qr-design/layout.js'
import { moduleMatrix } from '../../core/qr-design/matrix.js'
import { toSvg } from '../../core/qr-design/svg.js'
import { indexedPng, renderPixels } from './png.js'

const content = 'https://sho.rt/2uGBkz?r=qr'

describe('a logo', () => {
  it('hides nothing outside of its square, wherever it draws', () => {
    const design = readDesign({ logo: { imageGuid: 'Ilogo' } })
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle r="99" fill="#f00"/></svg>'
    const drawing = drawQrCode(content, design, { logo: { bytes: Buffer.from(svg), mimeType: 'image/svg+xml' } })
    const { code, cover } = layoutOf(design, moduleMatrix(content, design))
    if (!cover) throw new Error('nothing is covered')
    const scale = 4
    const { pixels, width } = renderPixels(toSvg(drawing, drawing.width * scale))
    const isRed = (x: number, y: number) => pixels[(y * width + x) * 4] === 255 && pixels[(y * width + x) * 4 + 1] === 0
    const [left, top] = [(code.x + cover.x) * scale, (code.y + cover.y) * scale]
    const red = Array.from({ length: width * width }, (_, at) => [at % width, Math.floor(at / width)] as const).filter(
      ([x, y]) => isRed(x, y),
    )
    expect(red.length).toBeGreaterThan((cover.width - 1) * scale * (cover.height - 1) * scale * 0.9)
    expect(
      red.filter(([x, y]) => x < left || y < top || x >= left + cover.width * scale || y >= top + cover.height * scale),
    ).toEqual([])
  })
})

describe('a PNG with a palette', () => {
  const picture = (pixel: (index: number) => readonly number[]) =>
    Uint8Array.from(Array.from({ length: 20 * 20 }, (_, index) => pixel(index)).flat())

  it('has the same pixels', async () => {
    const pixels = picture((index) => [index % 7, index % 3, 200, 255])
    const png = indexedPng(pixels, 20, 20)
    if (!png) throw new Error('it has few colours')
    expect(await sharp(png).ensureAlpha().raw().toBuffer()).toEqual(Buffer.from(pixels))
  })

  it('is not written of more than 256 colours, or of one that can be seen through', () => {
    expect(
      indexedPng(
        picture((index) => [index & 255, index >> 8, 0, 255]),
        20,
        20,
      ),
    ).toBeUndefined()
    expect(
      indexedPng(
        picture(() => [0, 0, 0, 254]),
        20,
        20,
      ),
    ).toBeUndefined()
  })
})
