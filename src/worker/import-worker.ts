/** The import thread: everything but the click log, which it calls by messages. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { ImportLog } from '../core/clicks/import.js'
import { openGeography } from '../storage/geography/mmdb.js'
import { ClickPacker, memoryOf } from './click-columns.js'
import type { ImportThreadMethods, ImportThreadOptions, ImportThreadOwner } from './import-thread.js'
import { lowerPriority } from './lower-priority.js'
import { runImport } from './run-import.js'
import { failureOf, ThreadCalls } from './thread-calls.js'

async function runThread(port: MessagePort, { file, records, geography }: ImportThreadOptions): Promise<void> {
  const stopped = new AbortController()
  const methods: ImportThreadMethods = { stop: () => stopped.abort() }
  const owner = new ThreadCalls<ImportThreadOwner>(port, methods)
  await lowerPriority()
  const packer = new ClickPacker()
  const log: ImportLog = {
    cursor: (journalId) => owner.call('cursor', [journalId]),
    passedOver: (journalId) => owner.call('passedOver', [journalId]),
    async appendBatch(batch, upTo) {
      const columns = packer.pack(batch)
      await owner.call('append', [columns, upTo], memoryOf(columns))
    },
  }
  try {
    const deps = { log, geography: openGeography(geography) }
    const ended = await runImport(deps, file, records, {
      signal: stopped.signal,
      tell: (progress) => owner.tell('progress', [progress]),
    })
    owner.tell('ended', [ended])
  } catch (error) {
    owner.tell('broken', [failureOf(error)])
  }
  port.close()
}

if (!parentPort) throw new Error('import-worker.js must be started by import-thread.js')
await runThread(parentPort, workerData as ImportThreadOptions)
