/** The picture in an ICO file, as PNG: some files contain PNGs, others bitmaps of Windows. Pure; every read is within the file. */
import { crc32, deflateSync } from 'node:zlib'

/** The largest PNG of the file, or else its largest bitmap of at most 64 pixels; undefined for other files. */
export function pngInIco(file: Uint8Array): Uint8Array | undefined {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  if (bytes.length < 6 || bytes.readUInt32LE(0) !== 0x0001_0000) return undefined
  const pictures: Buffer[] = []
  for (let at = 6; at + 16 <= Math.min(bytes.length, 6 + 16 * bytes.readUInt16LE(4)); at += 16) {
    const offset = bytes.readUInt32LE(at + 12)
    pictures.push(bytes.subarray(offset, offset + bytes.readUInt32LE(at + 8)))
  }
  pictures.sort((a, b) => b.length - a.length)
  const png = pictures.find((picture) => picture.subarray(0, 4).equals(pngSignature.subarray(0, 4)))
  if (png) return png
  for (const picture of pictures) {
    const drawn = bitmapAsPng(picture)
    if (drawn) return drawn
  }
  return undefined
}

const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const headLength = 40
// Decoded here, on the thread that answers requests: a millisecond at most.
const maxSide = 64

/** Its head, its palette, its rows from the bottom up, and then one bit for each pixel that is not shown. */
function bitmapAsPng(bytes: Buffer): Uint8Array | undefined {
  if (bytes.length < headLength || bytes.readUInt32LE(0) !== headLength || bytes.readUInt32LE(16) !== 0)
    return undefined
  const width = bytes.readUInt32LE(4)
  // Counts the rows of both parts.
  const height = bytes.readUInt32LE(8) / 2
  const bits = bytes.readUInt16LE(14)
  if (![width, height].every((side) => side > 0 && side <= maxSide && Number.isInteger(side))) return undefined
  if (![1, 4, 8, 24, 32].includes(bits)) return undefined
  const colors = bits > 8 ? 0 : bytes.readUInt32LE(32) || 2 ** bits
  const start = headLength + 4 * colors
  const mask = start + height * rowLength(width, bits)
  if (bytes.length < mask) return undefined

  const byteAt = (at: number) => bytes[at] ?? 0
  const bitsAt = (row: number, x: number, size: number) =>
    (byteAt(row + ((x * size) >> 3)) >> (8 - size - ((x * size) & 7))) & (2 ** size - 1)
  const rows = Buffer.alloc(height * (1 + 4 * width))
  let isOpaque = false
  for (let y = 0; y < height; y += 1) {
    const row = start + (height - 1 - y) * rowLength(width, bits)
    const maskRow = mask + (height - 1 - y) * rowLength(width, 1)
    for (let x = 0; x < width; x += 1) {
      const color = bits > 8 ? row + (x * bits) / 8 : headLength + 4 * bitsAt(row, x, bits)
      const alpha = bits === 32 ? byteAt(color + 3) : bitsAt(maskRow, x, 1) === 1 ? 0 : 255
      isOpaque ||= alpha > 0
      rows.set([byteAt(color + 2), byteAt(color + 1), byteAt(color), alpha], y * (1 + 4 * width) + 1 + 4 * x)
    }
  }
  // Nothing would be visible: old programs leave the fourth byte of a pixel empty.
  return isOpaque ? asPng(width, height, rows) : undefined
}

/** In bytes. */
function rowLength(width: number, bits: number): number {
  return Math.ceil((width * bits) / 32) * 4
}

/** `rows`: each begins with a zero, then red, green, blue and alpha. */
function asPng(width: number, height: number, rows: Buffer): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 6], 8)
  const chunks = [chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([pngSignature, ...chunks])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const around = Buffer.alloc(8)
  around.writeUInt32BE(data.length, 0)
  around.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)])
}
