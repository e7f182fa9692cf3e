/** Whether the file of the records is whole; if not, which backup to restore. */
import { existsSync } from 'node:fs'
import type { Config } from '../../config/config.js'
import { type Finding, ok, wrong } from '../../core/administration/finding.js'
import { checkSqlite } from '../../storage/sql/check-sqlite.js'
import { recordsFile } from '../../storage/sql/records-file.js'
import { newestBackup } from './backups.js'

const area = 'records'

/** Milliseconds: enough for some gigabytes. */
const timeLimit = 20_000

export async function examineRecordsFile(
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'backupTo'>,
): Promise<Finding[]> {
  const file = recordsFile(config.dataDir)
  if (config.databaseUrl !== undefined || !existsSync(file)) return []
  const checked = await checkSqlite(file, timeLimit)
  if (checked.outcome === 'whole') return [ok(area, `${file} is whole.`)]
  if (checked.outcome === 'unfinished') {
    return [ok(area, `${file} is whole as far as it was read in ${timeLimit / 1000} seconds.`)]
  }
  const backup = await newestBackup(config).catch(() => undefined)
  const remedy =
    backup === undefined
      ? 'Stop the service and restore your newest backup into a new data directory (docs/backup.md#restore).'
      : `Stop the service and restore the backup of ${backup.finishedAt} into a new data directory: "shortlink restore ${backup.target} --data-dir NEW" (docs/backup.md#restore).`
  return [wrong(area, `${file} is damaged: ${checked.reason}.`, remedy)]
}
