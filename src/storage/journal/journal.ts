/**
 * Journal before answer (ADR 2026-11-15-click-journal): the clicks of one event-loop turn become one row, and only
 * then are their responses ended. With durability `normal` a row survives the death of the process, with `full` that
 * of the machine. It stands on the redirect path: it parses nothing and allocates little.
 */
import { existsSync } from 'node:fs'
import type Database from 'libsql'
import type { Journal, JournalStatus, Visit } from '../../core/clicks/journal.js'
import type { Target } from '../../core/links/link.js'
import { Turn } from './row.js'
import { createSegment, journalIdIn, openSegment, segmentsIn } from './segments.js'

export interface JournalOptions {
  readonly durability: 'normal' | 'full'
  /** A segment larger than this is closed and a new one begun. */
  readonly segmentBytes?: number
  /** Called when writing begins to fail and when it works again; never once per click. */
  readonly onChange?: (failure: string | undefined) => void
}

export class SqliteJournal implements Journal {
  readonly journalId: string
  readonly #directory: string
  readonly #options: Required<JournalOptions>
  #segment: OpenSegment
  /** Segments still open here although their rows are complete; see #rotate. */
  #retired: OpenSegment[] = []
  #lastRow: number
  #bytes = 0
  #turn = new Turn()
  #answers: (() => void)[] = []
  #recorded = 0
  #lost = 0
  #failure: string | undefined
  #failedAt = 0

  constructor(directory: string, options: JournalOptions) {
    this.journalId = journalIdIn(directory)
    this.#directory = directory
    this.#options = { segmentBytes: 32 * 1024 * 1024, onChange: () => {}, ...options }
    const last = segmentsIn(directory).at(-1)
    this.#segment = new OpenSegment(last?.file ?? createSegment(directory, 1), options.durability)
    this.#lastRow = this.#segment.lastRow() ?? (last?.firstRow ?? 1) - 1
  }

  record(target: Target, visit: Visit, answer: () => void): void {
    if (this.#answers.length === 0) setImmediate(this.#endTurn)
    this.#turn.add(target, visit)
    this.#answers.push(answer)
  }

  status(): JournalStatus {
    return { lastRow: this.#lastRow, recorded: this.#recorded, lost: this.#lost, failure: this.#failure }
  }

  close(): void {
    this.#endTurn()
    for (const segment of [...this.#retired, this.#segment]) segment.close()
  }

  readonly #endTurn = (): void => {
    const turn = this.#turn
    const answers = this.#answers
    if (answers.length === 0) return
    this.#turn = new Turn()
    this.#answers = []
    this.#write(turn)
    for (const answer of answers) answer()
  }

  #write(turn: Turn): void {
    try {
      const row = turn.encode()
      if (this.#bytes > this.#options.segmentBytes) this.#rotate()
      this.#segment.insert(this.#lastRow + 1, row)
      this.#lastRow++
      this.#bytes += row.length
      this.#recorded += turn.clicks
      if (this.#failure !== undefined) this.#recover()
    } catch (error) {
      // A full disk must not stop redirects: the visitor goes on, the loss is counted, logged once and shown in /readyz.
      this.#lost += turn.clicks
      this.#failedAt = performance.now()
      if (this.#failure !== undefined) return
      this.#failure = error instanceof Error ? error.message : String(error)
      this.#options.onChange(this.#failure)
    }
  }

  /** On a nearly full disk a small row may still fit between two that do not: only a quiet second counts as well again. */
  #recover(): void {
    if (performance.now() - this.#failedAt < 1000) return
    this.#failure = undefined
    this.#options.onChange(undefined)
  }

  /**
   * Closing the last connection of a WAL database copies the whole log into it, on this thread. So a finished segment
   * stays open until the reader has emptied and deleted it; then closing costs nothing.
   */
  #rotate(): void {
    const next = new OpenSegment(createSegment(this.#directory, this.#lastRow + 1), this.#options.durability)
    this.#retired.push(this.#segment)
    this.#segment = next
    this.#bytes = 0
    for (const segment of this.#retired) if (!existsSync(segment.file)) segment.close()
    this.#retired = this.#retired.filter((segment) => segment.open)
  }
}

class OpenSegment {
  readonly #database: Database.Database
  readonly #insert: Database.Statement

  constructor(
    readonly file: string,
    durability: 'normal' | 'full',
  ) {
    this.#database = openSegment(file, durability)
    this.#insert = this.#database.prepare('INSERT INTO turns (row, clicks) VALUES (?, ?)')
  }

  get open(): boolean {
    return this.#database.open
  }

  lastRow(): number | undefined {
    const [{ last }] = this.#database.prepare('SELECT max(row) AS last FROM turns').all() as [{ last: number | null }]
    return last ?? undefined
  }

  insert(row: number, clicks: string): void {
    this.#insert.run(row, clicks)
  }

  close(): void {
    this.#database.close()
  }
}
