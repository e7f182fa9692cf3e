/**
 * Fetches icons of sites in the background: one for each host, when a link to it is created. What a site sends may be
 * hostile, so it is drawn anew, with the limits of uploaded images, and nothing else of it is kept or served.
 */

import { parseUrl } from '../../lib/parse-url.js'
import { Places } from '../../lib/places.js'
import { RecentMap } from '../../lib/recent-map.js'
import { typeOf } from '../images/image.js'
import type { ImageEncoder } from '../images/image-encoder.js'
import type { Clock } from '../values/time.js'
import { pngInIco } from './ico.js'
import type { SiteIconStore } from './site-icon-store.js'
import type { Pages } from './titles.js'

export interface SiteIconDeps {
  readonly pages: Pick<Pages, 'icons'>
  readonly siteIcons: SiteIconStore
  readonly imageEncoder: ImageEncoder
  readonly clock: Clock
  /** Called when an icon cannot be drawn at the moment, or written to the store. */
  readonly onFailure: (error: unknown) => void
}

const day = 86_400_000
/** Until a site is asked for its icon again. */
const renewedAfter = 30 * day
/** The same without an icon, as long as the process runs. */
const triedAgainAfter = day

/** Our choices: usually some 30 MB, 125 at most; few requests at once; further hosts wait for another link. */
const limits = { icons: 10_000, atOnce: 2, waiting: 100 }

/** Pixels. Twice as many as the dashboard shows, for sharp screens. */
const side = 48

export class SiteIcons {
  readonly #deps: SiteIconDeps
  readonly #places = new Places(limits.atOnce)
  /** When hosts were last looked at. */
  readonly #tried = new RecentMap<string, number>(limits.icons)
  readonly #closed = new AbortController()

  constructor(deps: SiteIconDeps) {
    this.#deps = deps
  }

  /** Queues the site of a destination; returns at once. */
  enqueue(longUrl: string): void {
    const site = parseUrl(longUrl)
    if (!site || !/^https?:$/.test(site.protocol) || this.#closed.signal.aborted) return
    const now = this.#deps.clock.now()
    const tried = this.#tried.get(site.host)
    if (tried !== undefined && now - tried < triedAgainAfter) return
    if (this.#places.waiting >= limits.waiting) return
    this.#tried.set(site.host, now)
    void this.#fetch(site.host, site.origin)
  }

  /** Aborts running requests; what is being drawn is not stored. */
  close(): void {
    this.#closed.abort()
  }

  /** Never rejects. */
  async #fetch(host: string, origin: string): Promise<void> {
    await this.#places.enter()
    try {
      await this.#renew(host, origin)
    } catch (error) {
      if (!this.#closed.signal.aborted) this.#deps.onFailure(error)
    } finally {
      this.#places.leave()
    }
  }

  async #renew(host: string, origin: string): Promise<void> {
    const { pages, siteIcons, clock } = this.#deps
    const { signal } = this.#closed
    if (signal.aborted) return
    const [known] = await siteIcons.find([host])
    if (known && clock.now() - known.fetchedAt < renewedAfter) return
    for await (const bytes of pages.icons(origin, signal)) {
      const image = await this.#draw(pngInIco(bytes) ?? bytes)
      if (signal.aborted) return
      if (image === undefined) continue
      await siteIcons.save({ host, image, fetchedAt: clock.now() }, limits.icons)
      return
    }
  }

  /** As a `data:` URL; undefined if it is no picture that we draw. */
  async #draw(bytes: Uint8Array): Promise<string | undefined> {
    const { imageEncoder } = this.#deps
    const type = typeOf(bytes)
    if (type === undefined) return undefined
    // An SVG is drawn only after it was written anew without anything that could read files or never end.
    const safe = type === 'image/svg+xml' ? await imageEncoder.encode(bytes, type) : { bytes }
    const drawn = 'fault' in safe ? safe : await imageEncoder.draw(safe.bytes, type, side)
    if ('fault' in drawn) return undefined
    const drawnType = type === 'image/jpeg' ? type : 'image/png'
    return `data:${drawnType};base64,${Buffer.from(drawn.bytes).toString('base64')}`
  }
}
