/**
 * The click thread's handle on the import thread. Reading and parsing lines takes more than half of the time, and
 * reports and new clicks must not wait for it. The click log stays in the click thread.
 */
import { Worker } from 'node:worker_threads'
import type { ImportLog } from '../core/clicks/import.js'
import type { ImportProgress } from '../core/clicks/imports.js'
import type { JournalPosition } from '../core/clicks/journal.js'
import type { RecordsPlace } from '../open/open-records.js'
import { type ClickColumns, ClickUnpacker } from './click-columns.js'
import { errorOf, type Failure, ThreadCalls } from './thread-calls.js'

/** Start data of the import thread. */
export interface ImportThreadOptions {
  readonly file: string
  readonly records: RecordsPlace
  readonly geography: readonly string[]
}

/** The methods of the import thread. */
export interface ImportThreadMethods {
  /** Stops the import after the current batch. */
  stop(): void
}

/** The methods of the click thread for the import thread. */
export interface ImportThreadOwner extends Pick<ImportLog, 'cursor' | 'passedOver'> {
  append(columns: ClickColumns, upTo: JournalPosition): Promise<void>
  progress(progress: ImportProgress): void
  ended(progress: ImportProgress): void
  broken(failure: Failure): void
}

export interface ImportWatch {
  /** Stops the import after the current batch. */
  readonly signal: AbortSignal
  readonly tell: (progress: ImportProgress) => void
}

export function runInThread(
  log: ImportLog,
  options: ImportThreadOptions,
  { signal, tell }: ImportWatch,
): Promise<ImportProgress> {
  const worker = new Worker(new URL('./import-worker.js', import.meta.url), {
    workerData: options,
    // Clicks of a batch live until it is sent: a smaller young generation would copy them several times.
    resourceLimits: { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 96 },
  })
  const unpacker = new ClickUnpacker()
  let outcome: ImportProgress | Error = new Error('its thread ended unexpectedly')
  const thread = new ThreadCalls<ImportThreadMethods>(worker, {
    cursor: (journalId) => interrupting(log.cursor(journalId)),
    passedOver: (journalId) => interrupting(log.passedOver(journalId)),
    append: (columns, upTo) => interrupting(log.appendBatch(unpacker.unpack(columns), upTo)),
    progress: tell,
    ended: (progress) => {
      outcome = progress
    },
    broken: (failure) => {
      outcome = errorOf(failure)
    },
  } satisfies ImportThreadOwner)
  const stop = () => thread.tell('stop', [])
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()

  return new Promise<ImportProgress>((resolve, reject) => {
    worker.on('error', (error) => {
      outcome = error instanceof Error ? error : new Error(String(error))
    })
    // Settle only after exit: then nothing of the import is running.
    worker.on('exit', () => (outcome instanceof Error ? reject(outcome) : resolve(outcome)))
  }).finally(() => signal.removeEventListener('abort', stop))
}

/** A failure of the click log interrupts the import, even one that the operator can fix: it is no problem of the file. */
async function interrupting<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw new Error(error instanceof Error ? error.message : String(error))
  })
}
