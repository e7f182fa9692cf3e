import { mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readQrCode } from '../../../test/support/read-qr-code.js'
import { plainDesign, readDesign } from '../../core/qr-design/design.js'
import { toPdf } from './pdf.js'
import { PictureCache } from './picture-cache.js'
import { renderPng } from './png.js'
import { RenderedQrImages } from './qr-images.js'

const content = 'https://sho.rt/2uGBkz?r=qr'
const png = { content, design: plainDesign, format: 'png' as const, size: 256 }

let folder: string
let rendered: number
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-qr-images-'))
  rendered = 0
})
afterEach(() => rmSync(folder, { recursive: true }))

/** As another process would find the folder. Rendering begins after `begin`. */
function open(begin: Promise<unknown> = Promise.resolve()): RenderedQrImages {
  const counted = <T>(value: T): T => {
    rendered++
    return value
  }
  return new RenderedQrImages({
    renderer: {
      png: async (svg) => {
        await begin
        return counted(renderPng(svg))
      },
      pdf: async (drawing, size) => counted(toPdf(drawing, size)),
    },
    cache: new PictureCache(folder, 1e6),
    onFailure: (error) => {
      throw error
    },
  })
}

describe('images of QR codes', () => {
  it.each([128, 256, 1024])('are read by a scanner as PNG of %i pixels', async (size) => {
    const picture = await open().image({ ...png, size })
    expect(Buffer.from(picture).readUInt32BE(16)).toBe(size)
    expect(await readQrCode(picture)).toBe(content)
  })

  it('are refused as PNG with too few pixels to be scanned, not as SVG', async () => {
    const small = { ...png, size: 64 }
    await expect(open().image(small)).rejects.toThrow(/at least 99/)
    expect(Buffer.from(await open().image({ ...small, format: 'svg' })).toString()).toContain('width="64"')
  })

  it('are SVG with the asked size', async () => {
    const svg = await open().image({ ...png, format: 'svg', size: 128 })
    expect(Buffer.from(svg).toString()).toMatch(/^<svg [^>]*width="128" height="128"/)
    expect(readdirSync(folder)).toEqual([])
  })

  it('are drawn once, also for requests at the same time and after a restart', async () => {
    const images = open()
    const pictures = await Promise.all([images.image(png), images.image(png)])
    pictures.push(await images.image(png), await open().image(png))
    expect(new Set(pictures.map((picture) => Buffer.from(picture).toString('base64'))).size).toBe(1)
    expect(rendered).toBe(1)
  })

  it('are drawn for each content, design, format and size', async () => {
    const images = open()
    await images.image(png)
    await images.image({ ...png, content: 'https://sho.rt/other' })
    await images.image({ ...png, design: readDesign({ dotPatternType: 'circle' }) })
    await images.image({ ...png, format: 'pdf' })
    await images.image({ ...png, size: 257 })
    expect(rendered).toBe(5)
  })

  it('are drawn again when their file is damaged', async () => {
    const whole = await open().image(png)
    for (const name of readdirSync(folder)) truncateSync(join(folder, name), 300)
    expect(Buffer.from(await open().image(png)).equals(whole)).toBe(true)
    expect(rendered).toBe(2)
  })

  it('are not kept without a logo that is missing for now', async () => {
    const withLogo = { ...png, design: readDesign({ logo: { imageGuid: 'Ilogo' } }) }
    await open().image({ ...withLogo, assets: async () => ({}) })
    expect(readdirSync(folder)).toEqual([])
  })

  it('are refused while too many wait to be drawn, except those that need no drawing', async () => {
    let begin = () => {}
    const images = open(new Promise<void>((resolve) => (begin = resolve)))
    const asked = Array.from({ length: 70 }, (_, index) => images.staticImage({ ...png, size: 100 + index }))
    const answers = Promise.allSettled(asked)
    await expect(images.image(png)).rejects.toMatchObject({
      code: 'TEMPORARILY_UNAVAILABLE',
      details: { retryAfter: 2 },
    })
    expect(Buffer.from(await images.image({ ...png, format: 'svg' })).toString()).toMatch(/^<svg /)
    begin()
    const drawn = (await answers).filter(({ status }) => status === 'fulfilled')
    expect([drawn.length, rendered]).toEqual([64, 64])
    expect(await readQrCode(await images.image(png))).toBe(content)
  })

  it('leave nothing behind when they are static', async () => {
    const images = open()
    await images.staticImage(png)
    await images.staticImage(png)
    expect([rendered, readdirSync(folder)]).toEqual([2, []])
  })
})
