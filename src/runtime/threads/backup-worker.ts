/** Makes one backup. It blocks while it copies SQLite files, so it cannot be the main thread, which copies the clicks. */
import type { ClickCopier } from '../../core/clicks/click-copy.js'
import type { BackupManifest } from '../../core/copies/manifest.js'
import { backUp, type StoresConfig } from '../stores/open-backups.js'
import type { ThreadCalls } from './thread-calls.js'

export interface BackupThreadData {
  readonly config: StoresConfig
  readonly directory: string
  /** For the manifest. */
  readonly program: string
}

export interface BackupThreadMethods {
  backUp(): Promise<BackupManifest>
}

export function serve(
  { config, directory, program }: BackupThreadData,
  { methods: clickCopier }: ThreadCalls<Pick<ClickCopier, 'copyClicks'>>,
): BackupThreadMethods {
  return { backUp: () => backUp(config, directory, clickCopier, { program, tell: () => {} }) }
}
