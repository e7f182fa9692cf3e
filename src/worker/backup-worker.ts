/** The backup thread: makes one backup and ends. It blocks while it copies SQLite files, so it cannot be the main thread. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { backUp } from '../open/open-backups.js'
import type { BackupThreadData, BackupThreadOwner } from './backup-thread.js'
import { lowerPriority } from './lower-priority.js'
import { failureOf, ThreadCalls } from './thread-calls.js'

async function runThread(port: MessagePort, { config, directory, program }: BackupThreadData): Promise<void> {
  const owner = new ThreadCalls<BackupThreadOwner>(port, {})
  const clickCopier = {
    copyClicks: async (...args: Parameters<BackupThreadOwner['copyClicks']>) => owner.call('copyClicks', args),
  }
  try {
    await lowerPriority()
    owner.tell('done', [await backUp(config, directory, clickCopier, { program, tell: () => {} })])
  } catch (error) {
    owner.tell('failed', [failureOf(error)])
  }
  port.close()
}

if (!parentPort) throw new Error('backup-worker.js must be started by backup-thread.js')
await runThread(parentPort, workerData as BackupThreadData)
