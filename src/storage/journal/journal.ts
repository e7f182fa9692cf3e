/**
 * Journal before answer (ADR 2026-11-15-click-journal): the clicks of one event-loop turn become one line of a file
 * (ADR 2026-11-15-journal-as-files), and only then are their responses ended. With durability `normal` a row survives a
 * crash of the process, with `full` a crash of the machine. On the redirect path: it parses nothing and allocates
 * little.
 */
import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { Journal, JournalCopyStatus, JournalStatus, SkippedRows, Visit } from '../../core/clicks/journal.js'
import type { Target } from '../../core/links/link.js'
import { LostClicks } from './lost-clicks.js'
import { encodeLine, Turn } from './row.js'
import {
  createAgain,
  journalIdIn,
  lastRowIn,
  orCannotUse,
  type Segment,
  segmentAt,
  segmentsIn,
  skippedAtOnce,
  skippedIn,
  syncFolder,
} from './segments.js'

export interface JournalOptions {
  readonly durability: 'normal' | 'full'
  /**
   * The last delivered row. With durability `normal`, a crash of the machine may lose rows that the click log already
   * has on disk; new rows must not reuse their numbers, or they would count as delivered. If the cursor is unknown, the
   * journal skips more numbers than can have been lost.
   */
  readonly delivered?: number | 'unknown'
  /** Rotates to a new segment above this size. */
  readonly segmentBytes?: number
  /** Rotates a non-empty segment after this many milliseconds: the open file cannot be deleted. */
  readonly segmentAge?: number
  /** Called when writing starts to fail, and with the number of lost clicks when it works again; never once per click. */
  readonly onChange?: (failure: string | undefined, lost: number) => void
  /** Called after every row. */
  readonly onWrite?: () => void
  /** A copy in a second folder. */
  readonly copy?: RowCopy | undefined
  /**
   * Called when somebody deleted or truncated the file in use. A deleted one is written again, with all its rows; rows
   * that were truncated are lost unless they were delivered, and the reader counts those.
   */
  readonly onHarm?: (harm: { readonly file: string; readonly harm: Harm }) => void
}

export interface RowCopy {
  readonly status: JournalCopyStatus
  /** Called after every row. */
  wrote(): void
  /** Gives the answers of the row, now or a moment later. */
  answer(answers: readonly (() => void)[]): void
}

type Harm = 'deleted' | 'truncated'

/** Visitor data is off the disk within half an hour of delivery, with few deletions. */
const segmentAge = 15 * 60_000
const segmentBytes = 32 * 1024 * 1024

/** How soon a deleted or truncated file is noticed. A check of every row would slow redirects down. */
const checkEvery = 1000

export class FileJournal implements Journal {
  readonly journalId: string
  readonly #directory: string
  readonly #options: Required<Omit<JournalOptions, 'copy'>>
  readonly #copy: RowCopy | undefined
  readonly #aging: NodeJS.Timeout
  readonly #checking: NodeJS.Timeout
  readonly #skipped: readonly SkippedRows[]
  #segment: OpenSegment
  #lastRow: number
  /** The last known row before this process started. */
  readonly #lastExisting: number
  #turn = new Turn()
  #answers: (() => void)[] = []
  #recorded = 0
  #lost = 0
  readonly #lostClicks: LostClicks
  #failure: string | undefined
  #failedAt = 0

  constructor(directory: string, options: JournalOptions) {
    this.journalId = journalIdIn(directory)
    this.#lostClicks = new LostClicks(directory)
    this.#directory = directory
    const silent = { onChange: () => {}, onWrite: () => {}, onHarm: () => {} }
    const { copy, ...given } = options
    this.#copy = copy
    this.#options = { segmentBytes, segmentAge, delivered: 0, ...silent, ...given }
    const { lastExisting, lastRow, segment } = orCannotUse(directory, () =>
      openAfter(directory, this.#options.delivered),
    )
    this.#lastExisting = lastExisting
    this.#lastRow = lastRow
    this.#segment = segment
    this.#skipped = skippedIn(segmentsIn(directory))
    this.#checking = setInterval(() => this.#checkFile(), checkEvery).unref()
    this.#aging = setInterval(() => this.#rotateOld(), Math.min(this.#options.segmentAge, 60_000))
    this.#aging.unref()
  }

  record(target: Target, visit: Visit, answer: () => void): void {
    if (this.#answers.length === 0) setImmediate(this.#endTurn)
    this.#turn.add(target, visit)
    this.#answers.push(answer)
  }

  status(): JournalStatus {
    const lastRow = this.#recorded === 0 ? this.#lastExisting : this.#lastRow
    const skipped = this.#skipped
    const { ever: lostEver, lastAt: lastLostAt } = this.#lostClicks.lost
    const lost = { lost: this.#lost, lostEver, lastLostAt }
    return { lastRow, skipped, recorded: this.#recorded, ...lost, failure: this.#failure, copy: this.#copy?.status }
  }

  /** Continues in a new file, so that the rows so far can be deleted after delivery. */
  rotate(): void {
    this.#rotateOld(0)
  }

  /** Leaves an empty file for the next row, so that all others can be deleted after delivery. */
  close(): void {
    clearInterval(this.#aging)
    clearInterval(this.#checking)
    this.#endTurn()
    this.#checkFile()
    this.rotate()
    this.#segment.close()
    this.#lostClicks.close()
  }

  /** Clicks that the process before this one lost until it ended. */
  lostBefore(): number {
    return this.#lostClicks.end()
  }

  readonly #endTurn = (): void => {
    const turn = this.#turn
    const answers = this.#answers
    if (answers.length === 0) return
    this.#turn = new Turn()
    this.#answers = []
    this.#write(turn)
    if (this.#copy) this.#copy.answer(answers)
    else for (const answer of answers) answer()
  }

  #write(turn: Turn): void {
    try {
      this.#append(turn.encode())
      this.#recorded += turn.clicks
      this.#options.onWrite()
    } catch (error) {
      // A full disk must not stop redirects: the visitor is redirected, and the loss is counted, logged once and shown
      // in /readyz.
      this.#lost += turn.clicks
      this.#fail(error)
      this.#lostClicks.add(turn.clicks, Date.now())
      return
    }
    this.#copy?.wrote()
    try {
      if (this.#options.durability === 'full') this.#segment.sync()
    } catch (error) {
      // The row number is not reused: the reader may have read this row, and would skip another one with its number.
      this.#fail(error)
      return
    }
    if (this.#failure !== undefined) this.#recover()
  }

  #append(text: string): void {
    if (this.#segment.bytes > this.#options.segmentBytes || !this.#segment.truncateTorn()) this.#rotate()
    this.#segment.append(encodeLine(this.journalId, this.#lastRow + 1, text))
    this.#lastRow++
  }

  #fail(error: unknown): void {
    this.#failedAt = performance.now()
    if (this.#failure !== undefined) return
    this.#failure = error instanceof Error ? error.message : String(error)
    this.#options.onChange(this.#failure, 0)
  }

  /**
   * On a nearly full disk a small row may fit between two that do not: healthy again only after a second without
   * failures.
   */
  #recover(): void {
    if (performance.now() - this.#failedAt < 1000) return
    this.#failure = undefined
    this.#options.onChange(undefined, this.#lostClicks.end())
  }

  #rotateOld(age = this.#options.segmentAge): void {
    if (this.#segment.bytes === 0 || performance.now() - this.#segment.openedAt < age) return
    try {
      this.#rotate()
    } catch {
      // The next row reports a full disk; the rotation is retried in a minute.
    }
  }

  /** New rows go to a new file: the reader expects the end of this one where it was. */
  #checkFile(): void {
    const { file, harm } = this.#segment
    if (harm === undefined) return
    try {
      if (harm === 'deleted') {
        createAgain(this.#directory, this.journalId)
        this.#segment.writeAgain()
      }
      this.#rotate()
      this.#options.onHarm({ file, harm })
    } catch (error) {
      // Tried again in a second.
      this.#fail(error)
    }
  }

  #rotate(): void {
    const full = this.#segment
    this.#segment = OpenSegment.create(segmentAt(this.#directory, this.#lastRow + 1))
    full.close()
  }
}

/** Opens a new file for the next row, so that the files before it can be deleted. */
function openAfter(directory: string, delivered: number | 'unknown'): Opened {
  const last = segmentsIn(directory).at(-1)
  const held = last ? lastRowIn(last) : 0
  const lastExisting = delivered === 'unknown' ? held : Math.max(held, delivered)
  const lastRow = delivered === 'unknown' ? held + skippedAtOnce : lastExisting
  const next = segmentAt(directory, lastRow + 1)
  // An incomplete line in it was never answered, so it may be overwritten.
  const segment = last?.file === next.file ? OpenSegment.reuse(last) : OpenSegment.create(next)
  return { lastExisting, lastRow, segment }
}

interface Opened {
  readonly lastExisting: number
  readonly lastRow: number
  readonly segment: OpenSegment
}

/** The file that rows are appended to; it never contains an incomplete line in the middle. */
class OpenSegment {
  readonly openedAt = performance.now()
  readonly file: string
  readonly #fd: number
  #bytes = 0
  /** A failed write may have left bytes after the last row. */
  #torn = false
  #folderSynced = false

  private constructor(file: string, fd: number) {
    this.file = file
    this.#fd = fd
  }

  /** A new file; fails if it exists, because it would hold rows with the same numbers. */
  static create({ file }: Segment): OpenSegment {
    return new OpenSegment(file, openSync(file, 'ax+'))
  }

  /** Reuses a file without a complete row. */
  static reuse({ file }: Segment): OpenSegment {
    const fd = openSync(file, constants.O_RDWR | constants.O_APPEND)
    ftruncateSync(fd, 0)
    return new OpenSegment(file, fd)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** What others did to the file. */
  get harm(): Harm | undefined {
    const { nlink, size } = fstatSync(this.#fd)
    if (nlink === 0) return 'deleted'
    return size < this.#bytes ? 'truncated' : undefined
  }

  /** A deleted file can be read until it is closed. One without rows need not be written again. */
  writeAgain(): void {
    if (this.#bytes === 0) return
    const rows = Buffer.allocUnsafe(this.#bytes)
    for (let at = 0; at < rows.length; ) {
      const read = readSync(this.#fd, rows, at, rows.length - at, at)
      if (read === 0) break
      at += read
    }
    writeFileSync(this.file, rows, { flush: true })
  }

  /** Throws when the line could not be written completely. */
  append(line: Buffer): void {
    try {
      // A nearly full disk writes a part first and reports the error on the next call.
      for (let at = 0; at < line.length; ) at += writeSync(this.#fd, line, at, line.length - at)
      this.#bytes += line.length
    } catch (error) {
      this.#torn = true
      this.truncateTorn()
      throw error
    }
  }

  /** Truncates the remains of a failed write. Returns false when that fails: then nothing may be written after them. */
  truncateTorn(): boolean {
    if (!this.#torn) return true
    try {
      ftruncateSync(this.#fd, this.#bytes)
      this.#torn = false
    } catch {
      // The failed write has already been reported.
    }
    return !this.#torn
  }

  sync(): void {
    fdatasyncSync(this.#fd)
    if (this.#folderSynced) return
    syncFolder(dirname(this.file))
    this.#folderSynced = true
  }

  close(): void {
    closeSync(this.#fd)
  }
}
