import { RecentMap } from '../../lib/recent-map.js'
import { Refusal } from '../values/refusal.js'
import type { Blobs } from './blobs.js'
import type { Image, ImageType } from './image.js'
import type { ImageEncoder } from './image-encoder.js'

export interface LogoDeps {
  readonly blobs: Pick<Blobs, 'get'>
  readonly imageEncoder: Pick<ImageEncoder, 'draw'>
}

/** The picture that it becomes part of. */
export interface LogoPlace {
  readonly format: 'svg' | 'png' | 'pdf'
  /** Pixels along the longer side. */
  readonly size: number
}

export interface Logo {
  readonly bytes: Uint8Array
  readonly mimeType: ImageType
}

/** More is not visible in the middle of a QR code of 4096 pixels. */
export const maxLogoSide = 1024

/**
 * Images as they are drawn into other pictures: small, since their bytes become part of every picture, and PNG, JPEG or SVG,
 * since what draws them does not know WebP. Where the picture is made of pixels, so is the logo: an SVG takes its time only
 * in a process that can be ended.
 */
export class Logos {
  readonly #deps: LogoDeps
  /** By the hash of the image and the length of a side. At most some megabytes each. */
  readonly #drawn = new RecentMap<string, Logo>(20)

  constructor(deps: LogoDeps) {
    this.#deps = deps
  }

  /** Undefined when the bytes of the image are gone. */
  async of(image: Image, { format, size }: LogoPlace): Promise<Logo | undefined> {
    const { mimeType } = image
    const isSvg = mimeType === 'image/svg+xml'
    const side = isSvg && format === 'png' ? sideIn(size) : maxLogoSide
    const key = `${image.sha256} ${side}`
    const known = isSvg && format === 'svg' ? undefined : this.#drawn.get(key)
    if (known) return known
    const bytes = await this.#deps.blobs.get(image.blobKey)
    if (!bytes) return undefined
    if (isSvg ? format === 'svg' : isDrawable(image)) return { bytes, mimeType }

    const drawn = await this.#deps.imageEncoder.draw(bytes, mimeType, side)
    if ('fault' in drawn) {
      if (drawn.fault === 'too-much-work') throw notInTime()
      throw new Error(`the stored image ${image.guid} cannot be read: ${drawn.fault}`)
    }
    const logo: Logo = { bytes: drawn.bytes, mimeType: mimeType === 'image/jpeg' ? mimeType : 'image/png' }
    this.#drawn.set(key, logo)
    return logo
  }
}

/** A logo takes up to a quarter of a code. One that is drawn in a similar size stays sharp when it is fitted in. */
function sideIn(size: number): number {
  return Math.min(maxLogoSide, 2 ** Math.ceil(Math.log2(size / 4)))
}

function notInTime(): Refusal {
  const message = 'The logo could not be drawn in time. Try again later, or use a simpler image.'
  return new Refusal('TEMPORARILY_UNAVAILABLE', message, { retryAfter: 60 })
}

function isDrawable({ mimeType, width, height }: Image): boolean {
  return mimeType !== 'image/webp' && Math.max(width, height) <= maxLogoSide
}
