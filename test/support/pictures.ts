/** Pictures made for tests, good ones and hostile ones. */
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'

export function png(width = 40, height = 30, background = '#cc3300'): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 4, background } })
    .png()
    .toBuffer()
}

export function jpeg(width = 40, height = 30): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#0033cc' } })
    .jpeg()
    .toBuffer()
}

export function webp(width = 40, height = 30): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 4, background: '#00cc3380' } })
    .webp()
    .toBuffer()
}

const svgNamespaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'

export function svg(
  content = '<rect width="20" height="10" fill="#c30"/>',
  attributes = 'width="20" height="10"',
): string {
  return `<svg ${svgNamespaces} ${attributes}>${content}</svg>`
}

/** A PNG by hand: its header may say anything, its pixels are what `rows` unpack to. */
export function rawPng(width: number, height: number, rows: Uint8Array, more: readonly Buffer[] = []): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // One byte for a pixel, grey.
  header.set([8, 0, 0, 0, 0], 8)
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  const pixels = chunk('IDAT', deflateSync(rows, { level: 9 }))
  return Buffer.concat([signature, chunk('IHDR', header), ...more, pixels, chunk('IEND', Buffer.alloc(0))])
}

export function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, checksum])
}

/** Each level draws the one before ten times. */
export function repeatingSvg(levels: number): string {
  const groups = Array.from({ length: levels }, (_, level) =>
    level === 0
      ? '<g id="u0"><rect width="1" height="1"/></g>'
      : `<g id="u${level}">${`<use href="#u${level - 1}"/>`.repeat(10)}</g>`,
  )
  return `<svg ${svgNamespaces} width="9" height="9">${groups.join('')}</svg>`
}

/** Small, and takes minutes to draw. */
export const slowSvg = svg(
  `<filter id="f">${'<feMorphology radius="9" operator="dilate"/>'.repeat(20)}</filter>
  <rect width="20" height="10" filter="url(#f)"/>`,
)
