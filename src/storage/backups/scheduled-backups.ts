/** The backups that the service makes by itself: folders in one folder, named by their time. Leaves all others alone. */
import { mkdirSync, readdirSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackupManifest } from '../../core/backups/manifest.js'
import { type ScheduledBackups, scheduledName } from '../../core/backups/schedule.js'
import { unfinishedEnding } from '../archives/unfinished-folder.js'
import { listBackups } from './list-backups.js'

export function scheduledBackups(
  folder: string,
  make: (directory: string) => Promise<BackupManifest>,
): ScheduledBackups {
  return {
    async list() {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const found = (await listBackups(folder)).filter(({ name }) => scheduledName.test(name))
      return found.flatMap(({ name, manifest }) =>
        manifest ? [{ name, finishedAt: Date.parse(manifest.finished_at) }] : [],
      )
    },
    make: (name) => make(join(folder, name)),
    async remove(name) {
      // It counts no longer as complete before the first file is gone.
      const path = join(folder, name)
      await rename(path, `${path}${unfinishedEnding}`)
      await rm(`${path}${unfinishedEnding}`, { recursive: true })
    },
    async removeUnfinished() {
      for (const name of readdirSync(folder)) {
        const [base = '', rest] = name.split('.')
        if (scheduledName.test(base) && `.${rest}` === unfinishedEnding) {
          await rm(join(folder, name), { recursive: true, force: true })
        }
      }
    },
  }
}
