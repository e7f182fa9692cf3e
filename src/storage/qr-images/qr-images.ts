/**
 * Pictures of QR codes. Those of codes that are kept are cached by all that decides how they look: the content, the design,
 * the format and the size.
 */
import { createHash } from 'node:crypto'
import { drawingVersion, drawQrCode, type QrAssets } from '../../core/qr-design/draw.js'
import type { Drawing } from '../../core/qr-design/drawing.js'
import type { QrImageRequest, QrImages } from '../../core/qr-design/qr-images.js'
import { requireReadableSize } from '../../core/qr-design/scannable.js'
import { toSvg } from '../../core/qr-design/svg.js'
import { Refusal } from '../../core/values/refusal.js'
import { RecentMap } from '../../lib/recent-map.js'
import type { PictureCache } from './picture-cache.js'

/** What takes long enough to make redirects wait. */
interface PictureRenderer {
  png(svg: string): Promise<Uint8Array>
  pdf(drawing: Drawing, size: number): Promise<Uint8Array>
}

export interface QrImageOptions {
  readonly renderer: PictureRenderer
  readonly cache: Pick<PictureCache, 'get' | 'put'>
  /** A picture could not be written to the cache. */
  readonly onFailure: (error: unknown) => void
}

/** At most 32 MB in memory. An SVG of a code with a frame and stars has 80 KB, and only memory spares drawing it again. */
const inMemory = { pictures: 256, largest: 128 * 1024 }

/** Pictures that wait for the renderer: some seconds of work. */
const mostWaiting = 64

export class RenderedQrImages implements QrImages {
  readonly #options: QrImageOptions
  readonly #recent = new RecentMap<string, Uint8Array>(inMemory.pictures)
  /** Requests for the same picture wait for the first one. */
  readonly #underway = new Map<string, Promise<Uint8Array>>()
  #waiting = 0

  constructor(options: QrImageOptions) {
    this.#options = options
  }

  image(request: QrImageRequest): Promise<Uint8Array> {
    const key = keyOf(request)
    return this.#once(key, () => this.#cached(key, request))
  }

  /** Another picture as PNG, in the same turn and cache as codes. */
  png(svg: string): Promise<Uint8Array> {
    const key = createHash('sha256').update(svg).digest('hex')
    return this.#once(key, async () => {
      const { cache, renderer, onFailure } = this.#options
      const known = await cache.get(key)
      if (known) return known
      this.#requireRoom()
      const picture = await this.#inTurn(renderer.png(svg))
      await cache.put(key, picture).catch(onFailure)
      return picture
    })
  }

  async #once(key: string, draw: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const recent = this.#recent.get(key)
    if (recent) return recent
    const underway = this.#underway.get(key) ?? draw()
    this.#underway.set(key, underway)
    try {
      return await underway
    } finally {
      this.#underway.delete(key)
    }
  }

  async staticImage(request: QrImageRequest): Promise<Uint8Array> {
    return this.#draw(request, (await request.assets?.()) ?? {})
  }

  async #cached(key: string, request: QrImageRequest): Promise<Uint8Array> {
    // An SVG is drawn as fast as a file is read.
    const cache = request.format === 'svg' ? undefined : this.#options.cache
    const known = await cache?.get(key)
    const assets = known ? {} : ((await request.assets?.()) ?? {})
    const picture = known ?? (await this.#draw(request, assets))
    // A logo whose file is missing may come back.
    if (!known && request.design.logo && !assets.logo) return picture
    if (!known) await cache?.put(key, picture).catch(this.#options.onFailure)
    if (picture.length <= inMemory.largest) this.#recent.set(key, picture)
    return picture
  }

  async #draw({ content, design, format, size }: QrImageRequest, assets: QrAssets): Promise<Uint8Array> {
    const { renderer } = this.#options
    if (format !== 'svg') this.#requireRoom()
    const drawing = drawQrCode(content, design, assets)
    if (format === 'pdf') return this.#inTurn(renderer.pdf(drawing, size))
    if (format === 'svg') return Buffer.from(toSvg(drawing, size))
    requireReadableSize(drawing, size)
    return this.#inTurn(renderer.png(toSvg(drawing, size)))
  }

  #requireRoom(): void {
    if (this.#waiting >= mostWaiting) throw busy()
  }

  async #inTurn(picture: Promise<Uint8Array>): Promise<Uint8Array> {
    this.#waiting++
    try {
      return await picture
    } finally {
      this.#waiting--
    }
  }
}

function busy(): Refusal {
  const message = 'Too many pictures are being drawn at the moment. Try again in a few seconds.'
  return new Refusal('TEMPORARILY_UNAVAILABLE', message, { retryAfter: 2 })
}

/** Names no logo by its bytes: the image of a guid never changes. */
function keyOf({ content, design, format, size }: QrImageRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([drawingVersion, content, design, format, size]))
    .digest('hex')
}
