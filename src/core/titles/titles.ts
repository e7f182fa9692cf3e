/**
 * Page titles for links that were made without one, fetched in the background. Nobody waits for them and nothing depends
 * on them: when there is more to do than can be done, wishes are dropped, and what goes wrong is counted. What may be
 * fetched, and how, is the business of the `Pages` part.
 */

export interface Pages {
  /** The title of a page; says why there is none instead of throwing. Rejects only when `signal` says stop. */
  title(url: string, signal: AbortSignal): Promise<FetchedTitle>
}

export type FetchedTitle =
  | { readonly title: string }
  /** `refused`: the guard did not let us; `unsuitable`: no HTML, or no title in it; `failed`: no answer. */
  | { readonly none: 'refused' | 'unsuitable' | 'failed' }

export interface TitleDeps {
  readonly pages: Pages
  /** The link store, of which no more is needed; its folder is above this one. */
  readonly links: { fillTitle(linkId: string, longUrl: string, title: string): Promise<boolean> }
  /** Told when a title could not be written; this is a fault of the store, not of a page. */
  readonly onFailure: (error: unknown) => void
}

export interface TitleOptions {
  readonly enabled: boolean
  /** How many links may wait; further ones stay without a title. */
  readonly waiting?: number
  readonly atOnce?: number
}

export interface TitleCounts {
  /** Titles found and written. */
  fetched: number
  /** Titles found too late: the link had one, had moved or was gone. */
  overtaken: number
  refused: number
  unsuitable: number
  failed: number
  /** Links that came while too many were waiting. */
  dropped: number
}

type Titled = { readonly id: string; readonly longUrl: string; readonly title: string | undefined }

interface LinkInsert {
  readonly linkId: string
  readonly longUrl: string
}

export class Titles {
  readonly #deps: TitleDeps
  readonly #options: Required<TitleOptions>
  readonly #waiting: LinkInsert[] = []
  readonly #running = new Set<Promise<void>>()
  readonly #closed = new AbortController()
  readonly #counts: TitleCounts = { fetched: 0, overtaken: 0, refused: 0, unsuitable: 0, failed: 0, dropped: 0 }

  constructor(deps: TitleDeps, options: TitleOptions) {
    this.#deps = deps
    // Our choice: two minutes of work at worst, and few enough at once to be a considerate guest.
    this.#options = { waiting: 100, atOnce: 4, ...options }
  }

  get counts(): Readonly<TitleCounts> {
    return this.#counts
  }

  /** Takes note of a link that has just been made; returns at once. Links with a title are left alone. */
  want(link: Titled): void {
    if (!this.#options.enabled || link.title !== undefined || this.#closed.signal.aborted) return
    if (this.#waiting.length >= this.#options.waiting) {
      this.#counts.dropped++
      return
    }
    this.#waiting.push({ linkId: link.id, longUrl: link.longUrl })
    this.#next()
  }

  /** Stops what is under way; links that still wait stay without a title. */
  async close(): Promise<void> {
    this.#waiting.length = 0
    this.#closed.abort()
    await Promise.all(this.#running)
  }

  #next(): void {
    while (this.#running.size < this.#options.atOnce) {
      const input = this.#waiting.shift()
      if (!input) return
      const work = this.#fill(input).finally(() => {
        this.#running.delete(work)
        this.#next()
      })
      this.#running.add(work)
    }
  }

  /** Never rejects. */
  async #fill({ linkId, longUrl }: LinkInsert): Promise<void> {
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
