/** Opens journals for the processes that write them, and sees all of a data directory as one. */
import type { Config } from '../config/config.js'
import type { JournalStatus } from '../core/clicks/journal.js'
import { journalFolder, otherJournals } from '../storage/journal/folders.js'
import { FileJournal, type JournalOptions } from '../storage/journal/journal.js'
import { journalIdIn } from '../storage/journal/segments.js'
import { JournalCopy } from './threads/journal-copy.js'

/** Where problems are told. */
type Log = Readonly<Record<'warn' | 'error', (fields: object, message: string) => void>>
type JournalConfig = Pick<Config, 'dataDir' | 'durability'>

/** `number`: that of the process, which alone writes to it. */
export function openJournal(
  { dataDir, durability }: JournalConfig,
  log: Log,
  options: Pick<JournalOptions, 'delivered' | 'onWrite' | 'copy'>,
  number = 1,
): FileJournal {
  const journal = new FileJournal(journalFolder(dataDir, number), {
    durability,
    ...options,
    onHarm: (fields) =>
      fields.harm === 'deleted'
        ? log.warn(fields, 'the journal file in use was deleted; it is written again, no click is lost')
        : log.error(fields, 'the journal file in use was truncated; clicks that were not delivered are lost'),
    onChange: (failure, lost) =>
      failure === undefined
        ? log.warn({ lost }, 'the click journal is writable again; these clicks were answered and are not counted')
        : log.error({ failure }, 'cannot write the click journal; redirects continue, their clicks are lost'),
  })
  const lost = journal.lostBefore()
  if (lost > 0) log.warn({ lost }, 'the last process ended while it could not write the click journal; clicks are lost')
  return journal
}

/** Undefined without `journalCopy`. That of the main process, the first, also has what former processes left. */
export function openJournalCopy(
  { dataDir, durability, journalCopy }: JournalConfig & Pick<Config, 'journalCopy'>,
  log: ConstructorParameters<typeof JournalCopy>[1],
  number = 1,
  processes = 1,
): JournalCopy | undefined {
  if (journalCopy === undefined) return undefined
  const others = number === 1 ? otherJournals(dataDir) : []
  const folders = (each: number) => ({ from: journalFolder(dataDir, each), to: journalFolder(journalCopy, each) })
  const copied = [number, ...others.filter((other) => other > processes)].map(folders)
  // Before the thread looks.
  for (const { from } of copied) journalIdIn(from)
  const pruned = others.filter((other) => other <= processes).map(folders)
  return new JournalCopy({ copied, pruned, waits: durability === 'full' }, log)
}

/** A journal of this data directory that another process writes, or wrote. */
export interface OtherJournal {
  readonly journalId: string
  /** As last known. */
  readonly journal: JournalStatus
  /** Makes that current. Never rejects. */
  refresh(): Promise<void>
  /** So that the rows so far can be deleted after delivery. */
  rotate(): void
}

/**
 * The journal of a process that does not run. Opened for a moment: what the process wrote last can then be deleted after
 * delivery, and its next rows get numbers of their own.
 */
export class RestingJournal implements OtherJournal {
  readonly journalId: string
  readonly journal: JournalStatus

  constructor(config: JournalConfig, log: Log, number: number, deliveredOf: (journalId: string) => number | undefined) {
    const folder = journalFolder(config.dataDir, number)
    const delivered = deliveredOf(journalIdIn(folder)) ?? 'unknown'
    const journal = openJournal(config, log, { delivered }, number)
    this.journalId = journal.journalId
    this.journal = journal.status()
    journal.close()
  }

  async refresh(): Promise<void> {}

  rotate(): void {}
}

/** All journals of the data directory as one. */
export class Journals {
  readonly #own: FileJournal
  readonly #others: readonly OtherJournal[]

  constructor(own: FileJournal, others: readonly OtherJournal[]) {
    this.#own = own
    this.#others = others
  }

  status(): JournalStatus {
    const own = this.#own.status()
    return this.#others.length === 0 ? own : this.#others.reduce(added, own)
  }

  /** Resolves with the present state; of a process that does not answer, with the last known one. */
  async refresh(): Promise<JournalStatus> {
    await Promise.all(this.#others.map((other) => other.refresh()))
    return this.status()
  }

  rotate(): void {
    this.#own.rotate()
    for (const other of this.#others) other.rotate()
  }
}

function added(sum: JournalStatus, { journalId, journal }: OtherJournal): JournalStatus {
  const { lastRow, skipped } = journal
  return {
    ...sum,
    others: { ...sum.others, [journalId]: { lastRow, skipped } },
    recorded: sum.recorded + journal.recorded,
    lost: sum.lost + journal.lost,
    lostEver: sum.lostEver + journal.lostEver,
    lastLostAt: Math.max(sum.lastLostAt ?? 0, journal.lastLostAt ?? 0) || undefined,
    failure: sum.failure ?? journal.failure,
    copy: sum.copy && {
      behindRows: sum.copy.behindRows + (journal.copy?.behindRows ?? 0),
      failure: sum.copy.failure ?? journal.copy?.failure,
    },
  }
}
