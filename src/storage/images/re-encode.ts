/**
 * Decodes pictures and encodes them again. Runs in a process of its own (runtime/threads/image-worker.ts): it must not be imported
 * by the service, since what it reads may be hostile.
 */
import sharp, { type Sharp } from 'sharp'
import type { ImageType, PixelType } from '../../core/images/image.js'
import { type EncodeOutcome, maxImageBytes, maxPixels } from '../../core/images/image-encoder.js'
import { drawSvg, simplifySvg } from './svg.js'

export async function reEncode(bytes: Uint8Array, type: ImageType): Promise<EncodeOutcome> {
  const isSvg = type === 'image/svg+xml'
  const outcome = isSvg ? simplifySvg(bytes) : await reEncodePixels(bytes, type)
  const most = isSvg ? maxImageBytes : maxPixelBytes
  return 'bytes' in outcome && outcome.bytes.byteLength > most ? { fault: 'too-large' } : outcome
}

// A PNG with a palette grows; real ones stay below four times what may be sent.
const maxPixelBytes = 4 * maxImageBytes

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

export async function draw(bytes: Uint8Array, type: ImageType, side: number): Promise<EncodeOutcome> {
  if (type === 'image/svg+xml') return drawSvg(bytes, side)
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
