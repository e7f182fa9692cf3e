/**
 * Journal before answer (ADR 2026-11-15-click-journal): the clicks of one event-loop turn become one line of a file
 * (ADR 2026-11-15-journal-as-files), and only then are their responses ended. With durability `normal` a row survives
 * the death of the process, with `full` that of the machine. It stands on the redirect path: it parses nothing and
 * allocates little.
 */
import { closeSync, constants, fdatasyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Journal, JournalStatus, Visit } from '../../core/clicks/journal.js'
import type { Target } from '../../core/links/link.js'
import { encodeLine, Turn } from './row.js'
import { journalIdIn, lastRowIn, orCannotUse, type Segment, segmentAt, segmentsIn, syncFolder } from './segments.js'

export interface JournalOptions {
  readonly durability: 'normal' | 'full'
  /**
   * The last row that was delivered. With durability `normal` the death of the machine may take rows that the click log,
   * which is on disk by then, has: the next ones must not get their numbers, or they would be taken for them. Where
   * nobody can say how far it has come, more numbers are passed over than can have been lost.
   */
  readonly delivered?: number | 'unknown'
  /** A segment larger than this is closed and a new one begun. */
  readonly segmentBytes?: number
  /** Likewise one with rows that has been open for so many milliseconds: a file that is written to cannot be deleted. */
  readonly segmentAge?: number
  /** Called when writing begins to fail and when it works again; never once per click. */
  readonly onChange?: (failure: string | undefined) => void
}

/** Our choice: what visitors sent is off the disk within half an hour of its delivery, and deletions are few. */
const segmentAge = 15 * 60_000
const segmentBytes = 32 * 1024 * 1024

/** Our choice: a busy service writes so many rows in ten minutes, and a machine that dies takes those of the last one. */
const mostLost = 1_000_000

export class FileJournal implements Journal {
  readonly journalId: string
  readonly #directory: string
  readonly #options: Required<JournalOptions>
  readonly #aging: NodeJS.Timeout
  #segment: OpenSegment
  #lastRow: number
  /** The last row before this process, as far as is known. */
  readonly #lastThere: number
  #turn = new Turn()
  #answers: (() => void)[] = []
  #recorded = 0
  #lost = 0
  #failure: string | undefined
  #failedAt = 0

  constructor(directory: string, options: JournalOptions) {
    this.journalId = journalIdIn(directory)
    this.#directory = directory
    this.#options = { segmentBytes, segmentAge, delivered: 0, onChange: () => {}, ...options }
    const { lastThere, lastRow, segment } = orCannotUse(directory, () => openAfter(directory, this.#options.delivered))
    this.#lastThere = lastThere
    this.#lastRow = lastRow
    this.#segment = segment
    this.#aging = setInterval(() => this.#rotateOld(), Math.min(this.#options.segmentAge, 60_000))
    this.#aging.unref()
  }

  record(target: Target, visit: Visit, answer: () => void): void {
    if (this.#answers.length === 0) setImmediate(this.#endTurn)
    this.#turn.add(target, visit)
    this.#answers.push(answer)
  }

  status(): JournalStatus {
    const lastRow = this.#recorded === 0 ? this.#lastThere : this.#lastRow
    return { lastRow, recorded: this.#recorded, lost: this.#lost, failure: this.#failure }
  }

  /** Leaves an empty file for the next row, so that all others can be deleted once they are delivered. */
  close(): void {
    clearInterval(this.#aging)
    this.#endTurn()
    this.#rotateOld(0)
    this.#segment.close()
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
      this.#append(turn.encode())
      this.#recorded += turn.clicks
    } catch (error) {
      // A full disk must not stop redirects: the visitor goes on, the loss is counted, logged once and shown in /readyz.
      this.#lost += turn.clicks
      this.#fail(error)
      return
    }
    try {
      if (this.#options.durability === 'full') this.#segment.sync()
    } catch (error) {
      // Not taken back: the reader may have it already, and another row by this number would pass it unseen.
      this.#fail(error)
      return
    }
    if (this.#failure !== undefined) this.#recover()
  }

  #append(text: string): void {
    if (this.#segment.bytes > this.#options.segmentBytes || !this.#segment.mend()) this.#rotate()
    this.#segment.append(encodeLine(this.journalId, this.#lastRow + 1, text))
    this.#lastRow++
  }

  #fail(error: unknown): void {
    this.#failedAt = performance.now()
    if (this.#failure !== undefined) return
    this.#failure = error instanceof Error ? error.message : String(error)
    this.#options.onChange(this.#failure)
  }

  /** On a nearly full disk a small row may still fit between two that do not: only a quiet second counts as well again. */
  #recover(): void {
    if (performance.now() - this.#failedAt < 1000) return
    this.#failure = undefined
    this.#options.onChange(undefined)
  }

  #rotateOld(age = this.#options.segmentAge): void {
    if (this.#segment.bytes === 0 || performance.now() - this.#segment.openedAt < age) return
    try {
      this.#rotate()
    } catch {
      // A full disk is told by the next row; the file is tried again in a minute.
    }
  }

  #rotate(): void {
    const full = this.#segment
    this.#segment = OpenSegment.create(segmentAt(this.#directory, this.#lastRow + 1))
    full.close()
  }
}

/** A file for the row behind all that the folder holds. Begins a new one, so that those before can be deleted. */
function openAfter(directory: string, delivered: number | 'unknown'): Opened {
  const last = segmentsIn(directory).at(-1)
  const held = last ? lastRowIn(last) : 0
  const lastThere = delivered === 'unknown' ? held : Math.max(held, delivered)
  const lastRow = delivered === 'unknown' ? held + mostLost : lastThere
  const next = segmentAt(directory, lastRow + 1)
  // What is in it without an end was never answered.
  const segment = last?.file === next.file ? OpenSegment.reuse(last) : OpenSegment.create(next)
  return { lastThere, lastRow, segment }
}

interface Opened {
  readonly lastThere: number
  readonly lastRow: number
  readonly segment: OpenSegment
}

/** The file rows are appended to, which never holds half a line in the middle. */
class OpenSegment {
  readonly openedAt = performance.now()
  readonly #file: string
  readonly #fd: number
  #bytes = 0
  /** A failed write may have left something behind the last row. */
  #torn = false
  #folderSynced = false

  private constructor(file: string, fd: number) {
    this.#file = file
    this.#fd = fd
  }

  /** A new file: one that is there already holds rows by these numbers. */
  static create({ file }: Segment): OpenSegment {
    return new OpenSegment(file, openSync(file, 'ax'))
  }

  /** One without a whole row. */
  static reuse({ file }: Segment): OpenSegment {
    const fd = openSync(file, constants.O_RDWR | constants.O_APPEND)
    ftruncateSync(fd, 0)
    return new OpenSegment(file, fd)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Throws when not all of it could be written. */
  append(line: Buffer): void {
    try {
      // A disk that is about to be full takes a part first, and says why not the rest when asked again.
      for (let at = 0; at < line.length; ) at += writeSync(this.#fd, line, at, line.length - at)
      this.#bytes += line.length
    } catch (error) {
      this.#torn = true
      this.mend()
      throw error
    }
  }

  /** Cuts off what a failed write left. False while that cannot be done: then nothing may be written behind it. */
  mend(): boolean {
    if (!this.#torn) return true
    try {
      ftruncateSync(this.#fd, this.#bytes)
      this.#torn = false
    } catch {
      // The write that failed is the one to be told of, and has been.
    }
    return !this.#torn
  }

  sync(): void {
    fdatasyncSync(this.#fd)
    if (this.#folderSynced) return
    syncFolder(dirname(this.#file))
    this.#folderSynced = true
  }

  close(): void {
    closeSync(this.#fd)
  }
}
