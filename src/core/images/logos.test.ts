import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jpeg, png, svg, webp } from '../../../test/support/pictures.js'
import { ImageProcesses } from '../../runtime/threads/image-processes.js'
import { diskBlobs } from '../../storage/blobs/disk-blobs.js'
import type { Image, ImageType } from './image.js'
import { Logos } from './logos.js'

const inSvg = { format: 'svg', size: 1024 } as const
const inPng = { format: 'png', size: 1024 } as const

describe('an image that is drawn into another picture', () => {
  let folder: string
  let logos: Logos
  let imageEncoder: ImageProcesses
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'shortlink-logos-'))
    imageEncoder = new ImageProcesses(pino({ level: 'silent' }))
    logos = new Logos({ blobs: diskBlobs(folder), imageEncoder })
  })
  afterAll(async () => {
    await imageEncoder.close()
    rmSync(folder, { recursive: true })
  })

  let images = 0
  async function stored(bytes: Buffer, mimeType: ImageType, width: number, height: number): Promise<Image> {
    images += 1
    const sha256 = String(images).padStart(64, '0')
    const blobKey = `${sha256}-0000000000`
    await diskBlobs(folder).put(blobKey, bytes, mimeType)
    const owner = { groupGuid: 'B1', organizationGuid: 'O1', createdAt: 1, createdBy: 'ada' }
    return { guid: 'I1', ...owner, sha256, blobKey, mimeType, width, height, size: bytes.length, name: '' }
  }

  it.each([
    ['image/png', () => png(40, 30)],
    ['image/jpeg', () => jpeg(40, 30)],
    ['image/svg+xml', async () => Buffer.from(svg())],
  ] as const)('stays as it is: %s', async (mimeType, make) => {
    const bytes = await make()
    const logo = await logos.of(await stored(bytes, mimeType, 40, 30), inSvg)
    expect(logo?.mimeType).toBe(mimeType)
    expect(bytes.equals(logo?.bytes ?? Buffer.alloc(0))).toBe(true)
  })

  it.each([
    ['image/webp', () => webp(40, 30), 'png', 40, 30],
    ['image/webp', () => webp(3000, 1500), 'png', 1024, 512],
    ['image/png', () => png(1025, 100), 'png', 1024, 100],
    ['image/jpeg', () => jpeg(1000, 2000), 'jpeg', 512, 1024],
  ] as const)('becomes what can be drawn: %s, for the %#th time', async (mimeType, make, format, width, height) => {
    const bytes = await make()
    const before = await sharp(bytes).metadata()
    const image = await stored(bytes, mimeType, before.width, before.height)
    const logo = await logos.of(image, inPng)
    expect(logo?.mimeType).toBe(`image/${format}`)
    expect(await sharp(logo?.bytes).metadata()).toMatchObject({ format, width, height })
    expect(await logos.of(image, inPng)).toBe(logo)
  })

  it.each([
    ['png', 200, 64],
    ['png', 1000, 256],
    ['png', 4096, 1024],
    ['pdf', 300, 1024],
  ] as const)('is made of pixels where the picture is: an SVG in a %s of %i', async (format, size, width) => {
    const image = await stored(Buffer.from(svg()), 'image/svg+xml', 20, 10)
    const logo = await logos.of(image, { format, size })
    expect(logo?.mimeType).toBe('image/png')
    expect(await sharp(logo?.bytes).metadata()).toMatchObject({ format: 'png', width, height: width / 2 })
    expect((await logos.of(image, inSvg))?.mimeType).toBe('image/svg+xml')
  })

  it('is refused when it is not drawn in time', async () => {
    const inTime = new ImageProcesses(pino({ level: 'silent' }), { timeout: 1 })
    const image = await stored(Buffer.from(svg()), 'image/svg+xml', 20, 10)
    const refused = new Logos({ blobs: diskBlobs(folder), imageEncoder: inTime }).of(image, inPng)
    await expect(refused).rejects.toMatchObject({ code: 'TEMPORARILY_UNAVAILABLE' })
    await inTime.close()
  })

  it('keeps what is transparent', async () => {
    const logo = await logos.of(await stored(await webp(8, 8), 'image/webp', 8, 8), inPng)
    expect((await sharp(logo?.bytes).raw().toBuffer())[3]).toBe(128)
  })

  it('is undefined when its bytes are gone', async () => {
    const image = await stored(await png(), 'image/png', 40, 30)
    await diskBlobs(folder).remove(image.blobKey)
    expect(await logos.of(image, inPng)).toBeUndefined()
  })
})
