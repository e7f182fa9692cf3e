/**
 * The copy of a journal in a second folder, seen from the thread that writes the journal. Redirects do not wait for it, except
 * with durability `full`; then they do as long as it keeps up.
 */
import type { JournalStatus } from '../../core/clicks/journal.js'
import type { Closable } from '../../lib/closing.js'
import type { HostOwner } from './host-messages.js'
import { startModule } from './start-module.js'
import { WorkerThread, type WorkerThreadOptions } from './worker-thread.js'

interface Folders {
  readonly from: string
  readonly to: string
}

export interface JournalCopyOptions {
  /** The journal of this process, and those of processes that no longer run. */
  readonly copied: readonly Folders[]
  /** Journals that other processes copy. */
  readonly pruned: readonly Folders[]
  /** Answers wait for the copy. */
  readonly waits: boolean
}

/** Longer than a good disk needs. */
const maxWait = 1_000
const lookEvery = 250
/** A copy that did not move for so long is told. */
const stuckAfter = 5_000

export class JournalCopy implements Closable {
  readonly #waits: boolean
  readonly #log: WorkerThreadOptions['log']
  readonly #cells = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  readonly #thread: WorkerThread<JournalCopyMethods>
  readonly #looking: NodeJS.Timeout
  /** As `#cells`: rows written, and copied. It begins with what a former process has written. */
  #copied = -1
  #movedAt = performance.now()
  #failure: string | undefined
  /** Answers wait, from this row on. */
  #keepsUp = false
  #waitsFrom = -1
  #held: { readonly row: number; readonly at: number; readonly answers: Answers }[] = []

  constructor({ waits, ...folders }: JournalCopyOptions, log: WorkerThreadOptions['log']) {
    this.#waits = waits
    this.#log = log
    const data: JournalCopyData = { ...folders, waits, cells: this.#cells.buffer as SharedArrayBuffer }
    this.#thread = new WorkerThread<JournalCopyMethods>({
      name: 'journal copy thread',
      begin: () => startModule('journal-copy', data),
      unavailable: 'The journal is not copied at the moment',
      meanwhile: 'the journal is not copied',
      log,
      owner: {
        copied: (rows) => this.#moved(rows),
        failed: (reason) => this.#fail(reason),
      } satisfies Omit<JournalCopyOwner, keyof HostOwner>,
      onDeath: () => this.#fail('its thread ended'),
    })
    void this.#thread.start().catch((error: Error) => this.#fail(error.message))
    this.#looking = setInterval(() => this.#look(), lookEvery).unref()
  }

  /** Called after every row. */
  readonly wrote = (): void => {
    Atomics.add(this.#cells, 0, 1)
    Atomics.notify(this.#cells, 0)
  }

  /** Called after `wrote` with the answers of the row. */
  readonly answer = (answers: Answers): void => {
    if (this.#keepsUp && this.#behind > 0) this.#held.push({ row: this.#written, at: performance.now(), answers })
    else for (const each of answers) each()
  }

  get status(): NonNullable<JournalStatus['copy']> {
    return { behindRows: Math.max(0, this.#behind), failure: this.#failure }
  }

  async close(): Promise<void> {
    await this.#thread.close()
    clearInterval(this.#looking)
    this.#release()
  }

  get #written(): number {
    return Atomics.load(this.#cells, 0)
  }

  get #behind(): number {
    return (this.#written - this.#copied) | 0
  }

  /** Everything was copied that was there a step ago. */
  #moved(rows: number): void {
    this.#copied = rows
    this.#movedAt = performance.now()
    while (this.#held[0] && ((rows - this.#held[0].row) | 0) >= 0) {
      for (const each of this.#held.shift()?.answers ?? []) each()
    }
    if (this.#waits && !this.#keepsUp) {
      this.#keepsUp = true
      this.#waitsFrom = this.#written
    }
    // Rows before that were answered without it.
    if (this.#failure === undefined || ((rows - this.#waitsFrom) | 0) < 0) return
    this.#failure = undefined
    this.#log.warn({}, 'the journal is copied again, with what was missing')
  }

  #fail(reason: string): void {
    if (this.#failure === undefined) this.#log.error({ reason }, 'cannot copy the journal; redirects continue')
    this.#failure = reason
    this.#release()
  }

  #look(): void {
    const now = performance.now()
    if (now - (this.#held[0]?.at ?? now) > maxWait) this.#fail('its disk is slow, and answers do not wait for it')
    if (this.#behind <= 0) this.#movedAt = now
    if (now - this.#movedAt > stuckAfter && this.#failure === undefined) this.#fail('its disk does not answer')
  }

  /** Nobody waits any more until it has moved. */
  #release(): void {
    this.#keepsUp = false
    for (const { answers } of this.#held.splice(0)) for (const each of answers) each()
  }
}

type Answers = readonly (() => void)[]

/** Start data of the thread. */
export interface JournalCopyData extends JournalCopyOptions {
  /** Rows written. */
  readonly cells: SharedArrayBuffer
}

export interface JournalCopyMethods {
  /** Copies what is left. */
  close(): Promise<void>
}

export interface JournalCopyOwner extends HostOwner {
  copied(rows: number): void
  failed(reason: string): void
}
