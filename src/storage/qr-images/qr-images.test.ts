import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { beforeAll, describe, expect, it } from 'vitest'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { plainDesign } from '../../core/qr-design/design.js'
import { RenderedQrImages } from './qr-images.js'

beforeAll(async () => {
  const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
  const wasmBinary = new Uint8Array(await readFile(wasm)).buffer
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true })
})

describe('images of QR codes', () => {
  it.each([128, 256, 1024])('are read by a scanner as PNG of %i pixels', async (size) => {
    const content = 'https://sho.rt/2uGBkz?r=qr'
    const png = await new RenderedQrImages().image({ content, design: plainDesign, format: 'png', size })
    expect(Buffer.from(png).readUInt32BE(16)).toBe(size)
    const [found] = await readBarcodes(png)
    expect(found?.text).toBe(content)
  })

  it('are refused as PNG with too few pixels to be scanned, not as SVG', async () => {
    const images = new RenderedQrImages()
    const small = { content: 'https://sho.rt/2uGBkz?r=qr', design: plainDesign, size: 64 }
    await expect(images.image({ ...small, format: 'png' })).rejects.toThrow(/at least 99/)
    expect(Buffer.from(await images.image({ ...small, format: 'svg' })).toString()).toContain('width="64"')
  })

  it('are SVG with the asked size', async () => {
    const svg = await new RenderedQrImages().image({ content: 'a', design: plainDesign, format: 'svg', size: 128 })
    expect(Buffer.from(svg).toString()).toMatch(/^<svg [^>]*width="128" height="128"/)
  })
})
