/** The import thread: everything but the click log, which it calls by messages. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { LineRanges } from '../core/clicks/click-batch.js'
import type { ImportLog } from '../core/clicks/import.js'
import { openGeography } from '../storage/geography/mmdb.js'
import { ClickPacker, memoryOf } from './click-columns.js'
import type { ImportAnswer, ImportReport, ImportThreadOptions } from './import-thread.js'
import { lowerPriority } from './lower-priority.js'
import { runImport } from './run-import.js'

async function runThread(port: MessagePort, { file, records, geography }: ImportThreadOptions): Promise<void> {
  await lowerPriority()
  const log = new RemoteLog(port)
  const tell = (report: ImportReport) => port.postMessage(report)
  try {
    const deps = { log, geography: openGeography(geography) }
    const watch = { signal: log.stopped, tell: progressTo(tell) }
    tell({ type: 'ended', progress: await runImport(deps, file, records, watch) })
  } catch (error) {
    tell({ type: 'broken', message: error instanceof Error ? error.message : String(error) })
  }
  port.close()
}

function progressTo(tell: (report: ImportReport) => void): Parameters<typeof runImport>[3]['tell'] {
  return (progress) => tell({ type: 'progress', progress })
}

/** The click thread's log; one call at a time, in order. */
class RemoteLog implements ImportLog {
  readonly #port: MessagePort
  readonly #waiting: { resolve: (value: Answer) => void; reject: (error: Error) => void }[] = []
  readonly #stop = new AbortController()
  readonly #packer = new ClickPacker()

  constructor(port: MessagePort) {
    this.#port = port
    port.on('message', (answer: ImportAnswer) => this.#hear(answer))
  }

  /** Aborted when the import must stop. */
  get stopped(): AbortSignal {
    return this.#stop.signal
  }

  async cursor(journalId: string): Promise<number> {
    return ((await this.#ask({ type: 'cursor', journalId })) as number | undefined) ?? 0
  }

  async passedOver(journalId: string): Promise<LineRanges> {
    return ((await this.#ask({ type: 'passedOver', journalId })) as LineRanges | undefined) ?? []
  }

  async appendBatch(...[batch, upTo]: Parameters<ImportLog['appendBatch']>): Promise<void> {
    const columns = this.#packer.pack(batch)
    await this.#ask({ type: 'append', columns, upTo }, memoryOf(columns))
  }

  #ask(report: ImportReport, transfer: ArrayBuffer[] = []): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#port.postMessage(report, transfer)
    })
  }

  #hear(answer: ImportAnswer): void {
    if (answer.type === 'stop') {
      this.#stop.abort()
      return
    }
    const waiting = this.#waiting.shift()
    if (answer.type === 'failed') waiting?.reject(new Error(answer.message))
    else waiting?.resolve(answer.value)
  }
}

type Answer = Extract<ImportAnswer, { type: 'answer' }>['value']

// Last, because classes and constants above must be initialized first.
if (!parentPort) throw new Error('import-worker.js must be started by import-thread.js')
await runThread(parentPort, workerData as ImportThreadOptions)
