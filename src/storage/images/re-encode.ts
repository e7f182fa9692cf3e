/**
 * Decodes pictures and encodes them again. Runs in a process of its own (worker/image-worker.ts): it must not be imported
 * by the service, since what it reads may be hostile.
 */
import { isUtf8 } from 'node:buffer'
import { Resvg } from '@resvg/resvg-js'
import sharp, { type Sharp } from 'sharp'
import type { ImageType, PixelType } from '../../core/images/image.js'
import { type EncodeOutcome, type ImageFault, maxPixels } from '../../core/images/image-encoder.js'

export async function reEncode(bytes: Uint8Array, type: ImageType): Promise<EncodeOutcome> {
  const outcome = type === 'image/svg+xml' ? simplifySvg(bytes) : await reEncodePixels(bytes, type)
  return 'bytes' in outcome && outcome.bytes.byteLength > maxOutput ? { fault: 'too-large' } : outcome
}

// A PNG with a palette, and an SVG that repeats its shapes, grow; real ones stay below four times what may be sent.
const maxOutput = 20 * 1024 * 1024

// Only the decoders of the three formats; libvips knows dozens, some of which read other files or run other programs.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer'],
})
sharp.concurrency(1)

const encoders: Readonly<Record<PixelType, (image: Sharp, bytes: Uint8Array) => Sharp>> = {
  'image/png': (image) => image.png({ compressionLevel: 9 }),
  // Nobody sees the difference, and the edges of a logo stay sharp.
  'image/jpeg': (image) => image.jpeg({ quality: 92, chromaSubsampling: '4:4:4' }),
  'image/webp': (image, bytes) =>
    Buffer.from(bytes).includes('VP8L') ? image.webp({ lossless: true, effort: 1 }) : image.webp({ quality: 92 }),
}

/** Metadata is left out unless one asks for it; orientation and colour profile are applied before they go. */
function reEncodePixels(bytes: Uint8Array, type: PixelType): Promise<EncodeOutcome> {
  return encodePixels(bytes, (image) => encoders[type](image.autoOrient(), bytes))
}

/** A smaller copy, with no side longer than `side` pixels. */
export function shrink(bytes: Uint8Array, type: PixelType, side: number): Promise<EncodeOutcome> {
  const encode = encoders[type === 'image/jpeg' ? type : 'image/png']
  return encodePixels(bytes, (image) =>
    encode(image.resize(side, side, { fit: 'inside', withoutEnlargement: true }), bytes),
  )
}

async function encodePixels(bytes: Uint8Array, change: (image: Sharp) => Sharp): Promise<EncodeOutcome> {
  try {
    const input = sharp(bytes, { limitInputPixels: maxPixels, failOn: 'warning' })
    const { data, info } = await change(input).toBuffer({ resolveWithObject: true })
    return { bytes: data, width: info.width, height: info.height }
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    return { fault: message.includes('pixel limit') ? 'too-many-pixels' : 'broken' }
  }
}

/**
 * Writes an SVG as usvg understands it: shapes, gradients, masks and filters, with styles resolved. Scripts, handlers,
 * links, animations and comments are gone. What would be visible and cannot be kept is a fault.
 */
function simplifySvg(bytes: Uint8Array): EncodeOutcome {
  if (!isUtf8(bytes)) return { fault: 'broken' }
  const text = Buffer.from(bytes)
    .toString('utf8')
    .replace(/^\ufeff/, '')
  if (/<!ENTITY/i.test(text)) return { fault: 'entities' }
  // usvg would read files that these name. Entities, which could hide them, were refused above.
  const [, element] = /<(?:[^\s<>/:!?]+:)?(text|foreignObject|image|feImage)(?=[\s/>])/.exec(text) ?? []
  if (element !== undefined) return { fault: `element ${element}` as ImageFault }
  try {
    const image = new Resvg(text, { font: { loadSystemFonts: false }, logLevel: 'off' })
    const [width, height] = [Math.ceil(image.width), Math.ceil(image.height)]
    if (width * height > maxPixels) return { fault: 'too-many-pixels' }
    const simplified = image.toString()
    return isHarmless(simplified) ? { bytes: Buffer.from(simplified), width, height } : { fault: 'broken' }
  } catch {
    return { fault: 'broken' }
  }
}

/** Whether it is made of known elements whose attributes cannot do anything, with nothing in between. */
function isHarmless(text: string): boolean {
  const tag = /\s*<\/?(\w+)((?:\s+[\w:-]+="[^"<>]*")*)\s*\/?>\s*/y
  for (tag.lastIndex = 0; tag.lastIndex < text.length; ) {
    const [, element = '', attributes = ''] = tag.exec(text) ?? []
    if (!harmlessElements.test(element)) return false
    for (const [, name = '', value = ''] of attributes.matchAll(/([\w:-]+)="([^"]*)"/g)) {
      if (/^on/i.test(name)) return false
      // The one style that usvg writes.
      if (/style$/i.test(name) && !/^mix-blend-mode:[a-z-]+;isolation:\w+$/.test(value)) return false
      if (/href$/i.test(name) && !value.startsWith('#')) return false
      if (/url\((?!#)/i.test(value)) return false
    }
  }
  return true
}

const harmlessElements =
  /^(?:svg|defs|g|path|(?:linear|radial)Gradient|stop|clipPath|mask|pattern|filter|fe(?!Image$)[A-Z]\w+)$/
