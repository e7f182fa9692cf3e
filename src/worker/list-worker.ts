/** The list thread: the same stores as on the main thread, over its own connection. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { Records } from '../storage/records/records.js'
import { openSqlite } from '../storage/records/sqlite.js'
import { recordsFile } from '../storage/sql/records-file.js'
import type { ListThreadData, ListThreadMethods } from './list-thread.js'
import { lowerPriority } from './lower-priority.js'
import { failureOf, ThreadCalls } from './thread-calls.js'
import type { SupervisorMethods } from './worker-supervisor.js'

async function runThread(port: MessagePort, { dataDir }: ListThreadData): Promise<void> {
  let records: Records
  const methods: ListThreadMethods = {
    async read(store, method, args) {
      // The other side is typed: these are arguments of a method of this store.
      const reads = records[store] as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>
      return reads[method]?.(...args)
    },
    close: () => void records.close().then(() => port.close()),
  }
  const owner = new ThreadCalls<SupervisorMethods>(port, methods)
  try {
    records = await openSqlite(recordsFile(dataDir))
  } catch (error) {
    owner.tell('broken', [failureOf(error)])
    port.close()
    return
  }
  owner.tell('ready', [undefined])
  await lowerPriority()
}

if (!parentPort) throw new Error('list-worker.js must be started by list-thread.js')
await runThread(parentPort, workerData as ListThreadData)
