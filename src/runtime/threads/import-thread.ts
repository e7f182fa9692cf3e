/**
 * The click thread's handle on the import thread. Reading and parsing lines takes more than half of the time, and
 * reports and new clicks must not wait for it. The click log stays in the click thread.
 */
import type { ImportLog } from '../../core/clicks/import.js'
import type { ImportProgress } from '../../core/clicks/imports.js'
import type { JournalPosition } from '../../core/clicks/journal.js'
import { messageOf } from '../../lib/message-of.js'
import type { RecordsPlace } from '../stores/open-records.js'
import { type ClickColumns, ClickUnpacker } from './click-columns.js'
import { runInThread } from './run-in-thread.js'

/** Start data of the import thread. */
export interface ImportThreadOptions {
  readonly file: string
  readonly records: RecordsPlace
  readonly geography: readonly string[]
}

/** The methods of the import thread. */
export interface ImportThreadMethods {
  run(): Promise<ImportProgress>
  /** Stops the import after the current batch. */
  stop(): void
}

/** The methods of the click thread for the import thread. */
export interface ImportThreadOwner extends Pick<ImportLog, 'cursor' | 'skippedRanges'> {
  append(columns: ClickColumns, upTo: JournalPosition): Promise<void>
  progress(progress: ImportProgress): void
}

export interface ImportWatch {
  /** Stops the import after the current batch. */
  readonly signal: AbortSignal
  readonly tell: (progress: ImportProgress) => void
}

export function importInThread(
  log: ImportLog,
  data: ImportThreadOptions,
  { signal, tell }: ImportWatch,
): Promise<ImportProgress> {
  const unpacker = new ClickUnpacker()
  const owner: ImportThreadOwner = {
    cursor: (journalId) => interrupting(log.cursor(journalId)),
    skippedRanges: (journalId) => interrupting(log.skippedRanges(journalId)),
    append: (columns, upTo) => interrupting(log.appendBatch(unpacker.unpack(columns), upTo)),
    progress: tell,
  }
  // Clicks of a batch live until it is sent: a smaller young generation would copy them several times.
  const work = { module: 'imports', data, owner, youngMemory: 96 } as const
  return runInThread<ImportThreadMethods, ImportProgress>(work, async (thread) => {
    // A thread that has ended needs no stop.
    const stop = () => void thread.stop().catch(() => {})
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    return thread.run().finally(() => signal.removeEventListener('abort', stop))
  })
}

/** A failure of the click log interrupts the import, even one that the operator can fix: it is no problem of the file. */
async function interrupting<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw new Error(messageOf(error))
  })
}
