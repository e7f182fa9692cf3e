/**
 * A click log that may not be available yet: an unreachable server, a damaged file. The service runs without it,
 * clicks wait in the journal, and opening is retried whenever the cursor is requested. One that was closed regularly is opened when it
 * is first needed.
 */
import type { ClickLog } from '../../core/clicks/click-log.js'
import { UnavailableError } from '../../lib/operator-error.js'
import { callByName, passOn } from '../../lib/pass-on.js'
import type { ClosedLog } from './closed-click-log.js'

export class LateClickLog {
  /** Its methods. They wait until it is open, except for what is known of a closed one. */
  readonly methods: Omit<ClickLog, 'trouble' | 'close'> = passOn<LateClickLog['methods']>(
    async (name, args) => callByName(await this.#there(), name, args),
    {
      cursor: async (journalId) =>
        this.#closed?.journalId === journalId ? this.#closed.row : (await this.#reach()).cursor(journalId),
      size: async () => this.#closed?.size ?? (await this.#there()).size(),
      compact: async (now) => this.#log?.compact(now) ?? false,
    },
  )
  readonly #open: () => Promise<ClickLog>
  /** Set until the log is first needed. */
  #closed: ClosedLog | undefined
  #log: ClickLog | undefined
  #failure: unknown
  #opening: Promise<ClickLog> | undefined
  #closing: Promise<void> | undefined

  /** Rejects for problems that do not pass: a wrong password, a locked file. A log that is known to be well is opened later. */
  static async open(open: () => Promise<ClickLog>, closed?: ClosedLog): Promise<LateClickLog> {
    const late = new LateClickLog(open, closed)
    if (closed) return late
    try {
      await late.#reach()
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error
    }
    return late
  }

  private constructor(open: () => Promise<ClickLog>, closed: ClosedLog | undefined) {
    this.#open = open
    this.#closed = closed
  }

  get isOpen(): boolean {
    return this.#log !== undefined
  }

  get trouble(): string | undefined {
    if (this.#log) return this.#log.trouble
    return this.#failure instanceof Error ? this.#failure.message : undefined
  }

  /** Opens a log with clicks before somebody asks: loading DuckDB may take seconds. One without clicks has nothing to report. */
  async warm(): Promise<void> {
    if (this.#closed && this.#closed.size.rows > 0) await (await this.#reach()).size()
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

  async #there(): Promise<ClickLog> {
    if (this.#closed || this.#opening) return this.#reach()
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
      // Until then what is known of the closed log holds: nothing is appended.
      this.#closed = undefined
      this.#opening = undefined
    }
  }
}
