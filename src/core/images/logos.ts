import { RecentMap } from '../../lib/recent-map.js'
import type { Blobs } from './blobs.js'
import type { Image, ImageType } from './image.js'
import type { ImageEncoder } from './image-encoder.js'

export interface LogoDeps {
  readonly blobs: Pick<Blobs, 'get'>
  readonly imageEncoder: Pick<ImageEncoder, 'shrink'>
}

export interface Logo {
  readonly bytes: Uint8Array
  readonly mimeType: ImageType
}

/** More is not visible in the middle of a QR code of 4096 pixels. */
const maxLogoSide = 1024

/**
 * Images as they are drawn into other pictures: PNG, JPEG or SVG, since what draws them does not know WebP, and small,
 * since their bytes become part of every picture.
 */
export class Logos {
  readonly #deps: LogoDeps
  /** By the hash of the image. At most some megabytes each. */
  readonly #shrunk = new RecentMap<string, Logo>(20)

  constructor(deps: LogoDeps) {
    this.#deps = deps
  }

  /** Undefined when the bytes of the image are gone. */
  async of(image: Image): Promise<Logo | undefined> {
    const known = this.#shrunk.get(image.sha256)
    if (known) return known
    const { mimeType } = image
    const bytes = await this.#deps.blobs.get(image.blobKey)
    if (!bytes) return undefined
    if (mimeType === 'image/svg+xml' || isDrawable(image)) return { bytes, mimeType }

    const shrunk = await this.#deps.imageEncoder.shrink(bytes, mimeType, maxLogoSide)
    if ('fault' in shrunk) throw new Error(`the stored image ${image.guid} cannot be read: ${shrunk.fault}`)
    const logo: Logo = { bytes: shrunk.bytes, mimeType: mimeType === 'image/jpeg' ? mimeType : 'image/png' }
    this.#shrunk.set(image.sha256, logo)
    return logo
  }
}

function isDrawable({ mimeType, width, height }: Image): boolean {
  return mimeType !== 'image/webp' && Math.max(width, height) <= maxLogoSide
}
