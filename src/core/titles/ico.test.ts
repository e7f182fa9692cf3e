import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { pngInIco } from './ico.js'

const png = (size: number) => Buffer.concat([Buffer.from('\x89PNG', 'latin1'), Buffer.alloc(size)])

describe('pngInIco', () => {
  it('is the largest PNG of the file', () => {
    expect(pngInIco(anIco(png(10), png(30), png(20)))).toEqual(png(30))
    expect(pngInIco(anIco(Buffer.alloc(90), png(10)))).toEqual(png(10))
  })

  // Two pixels, one above the other: green, and below it one that is not shown.
  const palette = Buffer.from([0, 0, 0, 0, 0, 255, 0, 0])
  const mask = [0x80, 0, 0, 0, 0, 0, 0, 0]
  it.each([
    ['32 bits', aBitmap(32, [9, 9, 9, 0, 0, 255, 0, 255])],
    ['24 bits', aBitmap(24, [9, 9, 9, 0, 0, 255, 0, 0, ...mask])],
    ['8 bits', aBitmap(8, [...palette, 0, 0, 0, 0, 1, 0, 0, 0, ...mask], 2)],
    ['4 bits', aBitmap(4, [...palette, 0, 0, 0, 0, 0x10, 0, 0, 0, ...mask], 2)],
    ['1 bit', aBitmap(1, [...palette, 0, 0, 0, 0, 0x80, 0, 0, 0, ...mask])],
  ])('is a bitmap of %s for each pixel', async (_, bitmap) => {
    const { data, info } = await sharp(pngInIco(anIco(bitmap)))
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect([info.width, info.height, info.channels]).toEqual([1, 2, 4])
    expect([...data.subarray(0, 4), data[7]]).toEqual([0, 255, 0, 255, 0])
  })

  it.each([
    ['a PNG', png(20)],
    ['nothing', Buffer.alloc(0)],
    ['an entry that leads outside', anIco(png(9)).subarray(0, 22)],
    ['more entries than bytes', Buffer.from([0, 0, 1, 0, 0xff, 0xff, 1])],
    ['an empty picture', anIco(Buffer.alloc(40))],
    ['a bitmap that is cut off', anIco(aBitmap(32, [9, 9, 9, 255]))],
    ['a palette that is larger than the file', anIco(aBitmap(8, [0, 0, 0, 0], 0xffff_ffff))],
    ['an unknown kind of bitmap', anIco(aBitmap(16, Array(64).fill(1)))],
    ['a huge bitmap', anIco(aBitmap(32, Array(64).fill(1), 0, 0xffff_ffff))],
    ['a bitmap of which nothing can be seen', anIco(aBitmap(32, Array(8).fill(0)))],
  ])('is undefined for %s', (_, file) => {
    expect(pngInIco(file)).toBeUndefined()
  })
})

/** One pixel wide and two high. */
function aBitmap(bits: number, body: readonly number[], colors = 0, width = 1): Buffer {
  const head = Buffer.alloc(40)
  head.writeUInt32LE(40, 0)
  head.writeUInt32LE(width, 4)
  head.writeUInt32LE(4, 8)
  head.writeUInt16LE(bits, 14)
  head.writeUInt32LE(colors, 32)
  return Buffer.concat([head, Buffer.from(body)])
}

function anIco(...pictures: readonly Buffer[]): Buffer {
  const head = Buffer.from([0, 0, 1, 0, pictures.length, 0])
  let offset = head.length + 16 * pictures.length
  const entries = pictures.map((picture) => {
    const entry = Buffer.alloc(16)
    entry.writeUInt32LE(picture.length, 8)
    entry.writeUInt32LE(offset, 12)
    offset += picture.length
    return entry
  })
  return Buffer.concat([head, ...entries, ...pictures])
}
