/** What a thread and its worker-host.ts say to each other. */

import type { LogLevel } from '../../lib/logger.js'
import type { Failure } from './thread-calls.js'

/** What a thread can serve. */
export type ModuleName =
  | 'backups'
  | 'clicks'
  | 'imports'
  | 'journal-copy'
  | 'lists'
  | 'qr-images'
  | 'stream'
  | 'webhooks'
  | 'workbooks'

/** Start data of every thread. */
export interface HostedModule {
  readonly module: ModuleName
  readonly data: unknown
}

/** The methods of the thread that started this one; every module may log. */
export interface HostOwner {
  /** The object is served. */
  ready(): void
  /** The object cannot be made, and the thread ends. */
  broken(failure: Failure): void
  /** Only the main thread writes the log. */
  log(level: LogLevel, fields: Readonly<Record<string, unknown>>, message: string): void
}
