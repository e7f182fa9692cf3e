/**
 * Pictures of QR codes that anybody may fetch who knows the image id: for web pages, mails and print
 * (docs/api/qr-codes.md#embed). Recent ones are in memory, and the store is asked about each at most once a second. Use
 * cases that change or delete a code call `forget`; a change by another process, or a code that was deleted with its link,
 * is noticed with the next question.
 */
import { hash } from 'node:crypto'
import { RecentMap } from '../../lib/recent-map.js'
import { isGuid } from '../values/guid.js'
import { Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import { drawQrCode, type Picture, type QrImageDeps } from './image.js'
import type { QrCode } from './qr-code.js'
import type { QrCodeStore } from './qr-code-store.js'

export interface PublicImageDeps extends QrImageDeps {
  readonly qrCodes: Pick<QrCodeStore, 'byImageId'>
  readonly clock: Clock
  /** Runs the work once the caller's writes are committed. */
  readonly afterCommit: (work: () => void) => void
}

const publicFormats = ['svg', 'png'] as const

/** Pixels. Few sizes, so that strangers cannot fill the cache on disk or keep the drawing thread busy. */
const publicSizes = [256, 512, 1024, 2048] as const
export const mostPublicPixels = 2048

export interface PublicImageRequest {
  readonly imageId: string
  readonly format: (typeof publicFormats)[number]
  readonly size: (typeof publicSizes)[number]
}

/** The next size that is at least as large. */
export function publicSize(pixels: number): PublicImageRequest['size'] {
  return publicSizes.find((size) => size >= pixels) ?? mostPublicPixels
}

export interface PublicImage {
  readonly bytes: Uint8Array
  /** Of the bytes. */
  readonly hash: string
}

interface Entry {
  readonly image: PublicImage
  /** When the store is asked again. */
  readonly until: number
}

/** Milliseconds. */
const freshFor = 1000

/** At most 32 MB; larger pictures come from the cache on disk each time. */
const inMemory = { images: 256, largest: 128 * 1024 }

export class PublicQrImages {
  readonly #deps: PublicImageDeps
  readonly #recent = new RecentMap<string, Entry>(inMemory.images)
  readonly #loading = new Map<string, Promise<PublicImage | undefined>>()

  constructor(deps: PublicImageDeps) {
    this.#deps = deps
  }

  /** A picture that is in memory and fresh. */
  peek(request: PublicImageRequest): PublicImage | undefined {
    const entry = this.#recent.get(keyOf(request))
    return entry && entry.until > this.#deps.clock.now() ? entry.image : undefined
  }

  /**
   * Undefined when there is no such code. Requests for the same picture wait for the first one. While the store fails, or
   * too many pictures are being drawn, the last known picture is served.
   */
  load(request: PublicImageRequest): Promise<PublicImage | undefined> {
    const key = keyOf(request)
    const waiting = this.#loading.get(key)
    if (waiting) return waiting
    const until = this.#deps.clock.now() + freshFor
    // One that `forget` removed meanwhile may have read the old state: it is not kept.
    const isCurrent = () => this.#loading.get(key) === loading && this.#loading.delete(key)
    const loading: Promise<PublicImage | undefined> = this.#load(request).then(
      (image) => {
        if (!isCurrent()) return image
        if (image && image.bytes.length <= inMemory.largest) this.#recent.set(key, { image, until })
        else this.#recent.delete(key)
        return image
      },
      (error) => {
        const last = isCurrent() ? this.#recent.get(key) : undefined
        if (!last) throw error
        this.#recent.set(key, { ...last, until })
        return last.image
      },
    )
    this.#loading.set(key, loading)
    return loading
  }

  forget(imageId: string): void {
    this.#deps.afterCommit(() => {
      for (const format of publicFormats) {
        for (const size of publicSizes) {
          const key = keyOf({ imageId, format, size })
          this.#loading.delete(key)
          this.#recent.delete(key)
        }
      }
    })
  }

  async #load({ imageId, format, size }: PublicImageRequest): Promise<PublicImage | undefined> {
    const code = isGuid(imageId) ? await this.#deps.qrCodes.byImageId(imageId) : undefined
    if (!code) return undefined
    const bytes = await drawReadable(this.#deps, code, { format, size })
    return { bytes, hash: hash('sha256', bytes).slice(0, 32) }
  }
}

/** In the next size in which scanners can read it: a page must not lose its picture because the design was changed. */
async function drawReadable(deps: QrImageDeps, code: QrCode, picture: Picture): Promise<Uint8Array> {
  try {
    return await drawQrCode(deps, code, picture)
  } catch (error) {
    const larger = publicSizes.find((size) => size > picture.size)
    const isTooSmall = error instanceof Refusal && error.details.field === 'size'
    if (!isTooSmall || larger === undefined) throw error
    return drawReadable(deps, code, { ...picture, size: larger })
  }
}

function keyOf({ imageId, format, size }: PublicImageRequest): string {
  return `${imageId}.${format}.${size}`
}
