/**
 * The click thread's handle on the import thread. Reading and parsing lines takes more than half of the time, and
 * reports and new clicks must not wait for it. The click log stays in the click thread.
 */
import { Worker } from 'node:worker_threads'
import type { LineRanges } from '../core/clicks/click-batch.js'
import type { ImportLog } from '../core/clicks/import.js'
import type { ImportProgress } from '../core/clicks/imports.js'
import type { JournalPosition } from '../core/clicks/journal.js'
import type { RecordsPlace } from '../open-records.js'
import { type ClickColumns, ClickUnpacker } from './click-columns.js'

/** Start data of the import thread. */
export interface ImportThreadOptions {
  readonly file: string
  readonly records: RecordsPlace
  readonly geography: readonly string[]
}

/** Messages of the import thread; cursors and appends are answered in order. */
export type ImportReport =
  | { readonly type: 'cursor' | 'passedOver'; readonly journalId: string }
  | { readonly type: 'append'; readonly columns: ClickColumns; readonly upTo: JournalPosition }
  | { readonly type: 'progress'; readonly progress: ImportProgress }
  | { readonly type: 'ended'; readonly progress: ImportProgress }
  | { readonly type: 'broken'; readonly message: string }

export type ImportAnswer =
  | { readonly type: 'answer'; readonly value: number | LineRanges | undefined }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'stop' }

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
  const send = (answer: ImportAnswer) => worker.postMessage(answer)
  const stop = () => send({ type: 'stop' })
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()

  async function serve(call: Extract<ImportReport, { type: 'cursor' | 'passedOver' | 'append' }>): Promise<void> {
    try {
      if (call.type !== 'append') return send({ type: 'answer', value: await log[call.type](call.journalId) })
      await log.appendBatch(unpacker.unpack(call.columns), call.upTo)
      send({ type: 'answer', value: undefined })
    } catch (error) {
      send({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
    }
  }

  return new Promise<ImportProgress>((resolve, reject) => {
    let outcome: ImportProgress | Error = new Error('its thread ended unexpectedly')
    worker.on('message', (report: ImportReport) => {
      if (report.type === 'progress') tell(report.progress)
      else if (report.type === 'ended') outcome = report.progress
      else if (report.type === 'broken') outcome = new Error(report.message)
      else void serve(report)
    })
    worker.on('error', (error) => {
      outcome = error instanceof Error ? error : new Error(String(error))
    })
    // Settle only after exit: then nothing of the import is running.
    worker.on('exit', () => (outcome instanceof Error ? reject(outcome) : resolve(outcome)))
  }).finally(() => signal.removeEventListener('abort', stop))
}
