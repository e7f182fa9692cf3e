/**
 * Opens the database of the configuration. Separate from app.ts, because threads and commands need only the database,
 * and loading the whole service takes a second.
 */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../config/config.js'
import { OperatorError } from '../lib/operator-error.js'
import { copyBeforeUpgrade } from '../storage/backups/before-upgrade.js'
import { secretsKeyIn } from '../storage/sql/database/encryption.js'
import { migrations } from '../storage/sql/migrations/index.js'
import type { Records, RecordsOptions } from '../storage/sql/records.js'
import { recordsFile } from '../storage/sql/records-file.js'
import { openSqlite } from '../storage/sql/sqlite.js'

/** Opens the database alone: all that administrative commands need while the service is stopped. */
export async function openRecords(
  config: RecordsPlace,
  use: Pick<
    RecordsOptions,
    'allowances' | 'onAvailability' | 'onDamage' | 'onFull' | 'onDeaf' | 'mapped' | 'onQuery'
  > = {},
): Promise<Records> {
  const { secretsKey } = config
  const options = { ...use, secretsKey }
  if (config.databaseUrl !== undefined) {
    const { openPostgres } = await import('../storage/sql/postgres.js')
    return openPostgres(config.databaseUrl, options)
  }
  makeDataDir(config.dataDir)
  return openSqlite(recordsFile(config.dataDir), { ...options, secretsKey: secretsKey ?? secretsKeyIn(config.dataDir) })
}

/**
 * Migrates the database. One in the data directory is copied first, unless it is new: this process is the only one that uses
 * it, and may have been upgraded without anybody thinking of a backup.
 */
export async function migrateRecords(
  { databaseUrl, dataDir }: RecordsPlace,
  records: Records,
): Promise<{ readonly migrations: readonly string[]; readonly copy: string | undefined }> {
  const [first] = await records.pendingMigrations()
  const isNew = first === Object.keys(migrations)[0]
  const copy = databaseUrl === undefined && first && !isNew ? copyBeforeUpgrade(dataDir, first) : undefined
  return { migrations: await records.migrate(), copy }
}

/** Location of the database; the URL is a secret. */
export type RecordsPlace = Pick<Config, 'databaseUrl' | 'dataDir'> & Partial<Pick<Config, 'secretsKey'>>

/** With PostgreSQL it holds the journal. */
export function makeDataDir(directory: string): void {
  try {
    makeFolder(directory)
  } catch (error) {
    throw new OperatorError(
      `Cannot create the data directory ${directory} (${(error as Error).message}). Choose another with --data-dir.`,
    )
  }
}

/** Not `recursive`: node retries forever where a file system reports ENOENT (`/proc/data`). */
function makeFolder(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return
  const parent = dirname(directory)
  if (parent !== directory) makeFolder(parent)
  mkdirSync(directory, { mode: 0o700 })
}
