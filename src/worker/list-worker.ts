/** The thread that reads lists: the same stores as on the main thread, over a connection of its own. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { Refusal } from '../core/values/refusal.js'
import { recordsFile } from '../storage/sql/records-file.js'
import { openSqlite } from '../storage/sql/sqlite.js'
import type { ListReads, ListReport, ListRequest, ListThreadData } from './list-thread.js'
import { lowerPriority } from './lower-priority.js'

async function runThread(port: MessagePort, { dataDir }: ListThreadData): Promise<void> {
  const tell = (report: ListReport) => port.postMessage(report)
  try {
    const records = await openSqlite(recordsFile(dataDir))
    port.on('message', (request: ListRequest) => {
      if (request.type === 'read') void answer(records, request, tell)
      else void records.close().then(() => port.close())
    })
    tell({ type: 'ready' })
    await lowerPriority()
  } catch (error) {
    tell({ type: 'broken', message: messageOf(error) })
    port.close()
  }
}

async function answer(
  stores: ListReads,
  { call, store, method, args }: Extract<ListRequest, { type: 'read' }>,
  tell: (report: ListReport) => void,
): Promise<void> {
  try {
    // The other side is typed: these are arguments of a method of this store.
    const reads = stores[store] as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>
    tell({ type: 'answer', call, value: await reads[method]?.(...args) })
  } catch (error) {
    const code = error instanceof Refusal ? error.code : undefined
    tell({ type: 'failed', call, message: messageOf(error), code })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

if (!parentPort) throw new Error('list-worker.js is started by list-thread.js, not by itself')
await runThread(parentPort, workerData as ListThreadData)
