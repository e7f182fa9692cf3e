/**
 * A click log that may not be available yet: an unreachable server, a damaged file. The service runs without it,
 * clicks wait in the journal, and opening is retried whenever the cursor is requested.
 */
import type { ClickLog } from '../core/clicks/click-log.js'
import { UnavailableError } from '../lib/operator-error.js'

export class LateClickLog implements ClickLog {
  readonly #open: () => Promise<ClickLog>
  #log: ClickLog | undefined
  #failure: unknown
  #opening: Promise<ClickLog> | undefined
  #closing: Promise<void> | undefined

  /** Rejects for problems that do not pass: a wrong password, a locked file. */
  static async open(open: () => Promise<ClickLog>): Promise<LateClickLog> {
    const late = new LateClickLog(open)
    try {
      await late.#reach()
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error
    }
    return late
  }

  private constructor(open: () => Promise<ClickLog>) {
    this.#open = open
  }

  get trouble(): string | undefined {
    if (this.#log) return this.#log.trouble
    return this.#failure instanceof Error ? this.#failure.message : undefined
  }

  readonly cursor: ClickLog['cursor'] = async (journalId) => (await this.#reach()).cursor(journalId)
  readonly append: ClickLog['append'] = async (clicks, upTo) => this.#there().append(clicks, upTo)
  readonly appendBatch: ClickLog['appendBatch'] = async (batch, upTo) => this.#there().appendBatch(batch, upTo)
  readonly passedOver: ClickLog['passedOver'] = async (journalId) => this.#there().passedOver(journalId)
  readonly count: ClickLog['count'] = async (query) => this.#there().count(query)
  readonly countNested: ClickLog['countNested'] = async (query) => this.#there().countNested(query)
  readonly countSets: ClickLog['countSets'] = async (query) => this.#there().countSets(query)
  readonly firstAt: ClickLog['firstAt'] = async (query) => this.#there().firstAt(query)

  readonly quarters: ClickLog['quarters'] = async (which) => this.#there().quarters(which)
  readonly writeClicks: ClickLog['writeClicks'] = async (which, files) => this.#there().writeClicks(which, files)

  readonly copyClicks: ClickLog['copyClicks'] = async (...args) => this.#there().copyClicks(...args)

  readonly forgetClicks: ClickLog['forgetClicks'] = async (which, options) => this.#there().forgetClicks(which, options)

  readonly size: ClickLog['size'] = async () => this.#there().size()

  async compact(now: number): Promise<boolean> {
    return this.#log?.compact(now) ?? false
  }

  /** May be called twice: first to interrupt running queries, then with everything else. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#opening?.catch(() => undefined)
    await this.#log?.close()
  }

  #there(): ClickLog {
    if (!this.#log) throw this.#failure
    return this.#log
  }

  async #reach(): Promise<ClickLog> {
    if (this.#log) return this.#log
    if (this.#closing) throw new Error('The click log is closed.')
    this.#opening ??= this.#open()
    try {
      this.#log = await this.#opening
      return this.#log
    } catch (error) {
      this.#failure = error
      throw error
    } finally {
      this.#opening = undefined
    }
  }
}
