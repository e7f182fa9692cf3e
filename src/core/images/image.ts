/** A picture that a group uploaded, such as the logo of a QR code. What was uploaded is re-encoded; this describes the result. */
export interface Image {
  /** Whoever knows it can fetch the file, so it is longer than other guids (docs/api/images.md#the-file). */
  readonly guid: string
  readonly groupGuid: string
  /** Of the group at this moment. */
  readonly organizationGuid: string
  /** Of the stored bytes, in hex. */
  readonly sha256: string
  /** Where the bytes are in `Blobs`; images with the same bytes share it. */
  readonly blobKey: string
  readonly mimeType: ImageType
  /** Pixels; of an SVG, user units rounded up. */
  readonly width: number
  readonly height: number
  /** Bytes. */
  readonly size: number
  /** Empty when none was given. */
  readonly name: string
  readonly createdAt: number
  readonly createdBy: string
}

export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'] as const

export type ImageType = (typeof imageTypes)[number]

/** Made of pixels. */
export type PixelType = Exclude<ImageType, 'image/svg+xml'>

/** The type that the bytes show, whatever they are called; undefined when it is none of ours. */
export function typeOf(bytes: Uint8Array): ImageType | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, sniffed)).toString('latin1')
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') return 'image/webp'
  return isSvg(start) ? 'image/svg+xml' : undefined
}

// Some programs write long comments before the root of an SVG.
const sniffed = 64 * 1024

/** Whether the first element is `svg`. Skips what may stand before it, one thing after the other. */
function isSvg(start: string): boolean {
  let rest = start.replace(/^\xef\xbb\xbf/, '')
  for (;;) {
    rest = rest.trimStart()
    const [before] = /^(?:<\?[^>]*\?>|<!--.*?-->|<!DOCTYPE[^[>]*(?:\[[^\]]*\]\s*)?>)/s.exec(rest) ?? []
    if (before === undefined) return /^<(?:[\w.-]+:)?svg[\s/>]/.test(rest)
    rest = rest.slice(before.length)
  }
}
