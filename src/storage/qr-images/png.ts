/**
 * SVG to PNG. It takes tens of milliseconds of one core, so it runs in a thread of its own (runtime/threads/qr-image-worker.ts).
 */
import { crc32, deflateSync } from 'node:zlib'
import { Resvg } from '@resvg/resvg-js'

/** The fonts of the machine are left alone: texts are outlines. */
const options = { font: { loadSystemFonts: false } }

export function renderPng(svg: string): Uint8Array {
  const image = new Resvg(svg, options).render()
  return indexedPng(image.pixels, image.width, image.height) ?? image.asPng()
}

/** A picture as rows of red, green, blue and opacity, each multiplied by the opacity. */
export function renderPixels(svg: string): {
  readonly pixels: Uint8Array
  readonly width: number
  readonly height: number
} {
  const { pixels, width, height } = new Resvg(svg, options).render()
  return { pixels, width, height }
}

/**
 * With a palette, as codes have few colours: a quarter of the bytes, written in half of the time. Undefined when there are
 * more than 256, or when one of them can be seen through.
 */
export function indexedPng(rgba: Uint8Array, width: number, height: number): Uint8Array | undefined {
  const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.byteLength / 4)
  const rows = new Uint8Array((width + 1) * height)
  const indexes = new Map<number, number>()
  let last = -1
  let index = 0
  for (let y = 0, from = 0; y < height; y++) {
    // Each row begins with its filter: none.
    let to = y * (width + 1) + 1
    for (const end = from + width; from < end; from++, to++) {
      const color = pixels[from] ?? 0
      if (color !== last) {
        last = color
        const known = indexes.get(color)
        if (known === undefined) {
          if (indexes.size === 256 || color >>> 24 !== 255) return undefined
          index = indexes.size
          indexes.set(color, index)
        } else index = known
      }
      rows[to] = index
    }
  }
  const palette = [...indexes.keys()].flatMap((color) => [color & 255, (color >> 8) & 255, (color >> 16) & 255])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits for each pixel, with a palette.
  header.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette)),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(12 + data.length)
  bytes.writeUInt32BE(data.length, 0)
  bytes.write(type, 4, 'latin1')
  bytes.set(data, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length)
  return bytes
}
