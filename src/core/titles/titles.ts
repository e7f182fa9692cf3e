/**
 * Fetches page titles in the background, for links that were created without one. Titles are optional: when the queue is
 * full, links are dropped and counted. `Pages` decides what may be fetched, and how.
 */

export interface Pages {
  /** The title of a page, or the reason why there is none. Rejects only when `signal` aborts. */
  title(url: string, signal: AbortSignal): Promise<FetchedTitle>
  /** Pictures that may be the icon of a site, best first: any bytes. Throws only when `signal` aborts. */
  icons(origin: string, signal: AbortSignal): AsyncIterable<Uint8Array>
}

export type FetchedTitle =
  | { readonly title: string }
  /** `refused`: blocked by the address guard; `unsuitable`: no HTML, or no title; `failed`: no response. */
  | { readonly none: 'refused' | 'unsuitable' | 'failed' }

export interface TitleDeps {
  readonly pages: Pick<Pages, 'title'>
  /** Fetches the icon of the site. */
  readonly icons: { enqueue(longUrl: string): void }
  /** The part of the link store that is needed; core/links imports this folder, so this one must not import it. */
  readonly links: { fillTitle(linkId: string, longUrl: string, title: string): Promise<boolean> }
  /** Called when a title cannot be written to the store. */
  readonly onFailure: (error: unknown) => void
}

export interface TitleOptions {
  readonly enabled: boolean
  /** Maximum queue length; further links stay without a title. */
  readonly waiting?: number
  readonly atOnce?: number
}

export interface TitleCounts {
  /** Titles found and written. */
  fetched: number
  /** Titles found too late: the link has a title, another destination, or was deleted. */
  overtaken: number
  refused: number
  unsuitable: number
  failed: number
  /** Links dropped because the queue was full. */
  dropped: number
}

type NewLink = { readonly id: string; readonly longUrl: string; readonly title: string | undefined }

interface QueuedLink {
  readonly linkId: string
  readonly longUrl: string
}

export class Titles {
  readonly #deps: TitleDeps
  readonly #options: Required<TitleOptions>
  readonly #queue: QueuedLink[] = []
  readonly #running = new Set<Promise<void>>()
  readonly #closed = new AbortController()
  readonly #counts: TitleCounts = { fetched: 0, overtaken: 0, refused: 0, unsuitable: 0, failed: 0, dropped: 0 }

  constructor(deps: TitleDeps, options: TitleOptions) {
    this.#deps = deps
    // At worst two minutes of work, with few parallel requests, to be considerate to other sites.
    this.#options = { waiting: 100, atOnce: 4, ...options }
  }

  get counts(): Readonly<TitleCounts> {
    return this.#counts
  }

  /** Queues a new link; returns at once. Links with a title need the icon of their site alone. */
  enqueue(link: NewLink): void {
    if (!this.#options.enabled || this.#closed.signal.aborted) return
    this.#deps.icons.enqueue(link.longUrl)
    if (link.title !== undefined) return
    if (this.#queue.length >= this.#options.waiting) {
      this.#counts.dropped++
      return
    }
    this.#queue.push({ linkId: link.id, longUrl: link.longUrl })
    this.#startNext()
  }

  /** Aborts running requests and clears the queue. */
  async close(): Promise<void> {
    this.#queue.length = 0
    this.#closed.abort()
    await Promise.all(this.#running)
  }

  #startNext(): void {
    while (this.#running.size < this.#options.atOnce) {
      const input = this.#queue.shift()
      if (!input) return
      const work = this.#fill(input).finally(() => {
        this.#running.delete(work)
        this.#startNext()
      })
      this.#running.add(work)
    }
  }

  /** Never rejects. */
  async #fill({ linkId, longUrl }: QueuedLink): Promise<void> {
    try {
      const found = await this.#deps.pages.title(longUrl, this.#closed.signal)
      if ('none' in found) this.#counts[found.none]++
      else if (await this.#deps.links.fillTitle(linkId, longUrl, found.title)) this.#counts.fetched++
      else this.#counts.overtaken++
    } catch (error) {
      if (!this.#closed.signal.aborted) this.#deps.onFailure(error)
    }
  }
}
