/** Makes a backup in a thread of its own. The clicks are copied by the click thread. */

import type { ClickCopier } from '../core/clicks/click-copy.js'
import type { BackupManifest } from '../core/copies/manifest.js'
import { OperatorError } from '../lib/operator-error.js'
import type { StoresConfig } from '../open/open-backups.js'
import { errorOf, type Failure, ThreadCalls } from './thread-calls.js'
import { beginThread } from './worker-supervisor.js'

export interface BackupThreadData {
  readonly config: StoresConfig
  readonly directory: string
  /** For the manifest. */
  readonly program: string
}

/** The methods of the main thread for the backup thread. */
export interface BackupThreadOwner extends ClickCopier {
  done(manifest: BackupManifest): void
  failed(failure: Failure): void
}

export interface BackupThreadOptions {
  readonly clickCopier: ClickCopier
  /** Ends the thread; what it wrote is recognised as unfinished. */
  readonly signal: AbortSignal
}

export function backUpInThread(
  data: BackupThreadData,
  { clickCopier, signal }: BackupThreadOptions,
): Promise<BackupManifest> {
  return new Promise((resolve, reject) => {
    const worker = beginThread('backup-worker.js', data)
    const owner: BackupThreadOwner = {
      copyClicks: (folder, known) => clickCopier.copyClicks(folder, known),
      done: resolve,
      failed: (failure) => reject(errorOf(failure)),
    }
    const calls = new ThreadCalls(worker, owner)
    const stop = () => void worker.terminate()
    signal.addEventListener('abort', stop, { once: true })
    worker.on('error', reject)
    worker.on('exit', () => {
      signal.removeEventListener('abort', stop)
      const ended = signal.reason instanceof OperatorError ? signal.reason : new Error('The backup was interrupted.')
      calls.end(ended)
      reject(ended)
    })
  })
}
