/**
 * Opens the database of the configuration. Separate from app.ts, because threads and commands need only the database,
 * and loading the whole service takes a second.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../../config/config.js'
import { lostText, secretKinds } from '../../core/copies/encrypted-records.js'
import type { LostRows } from '../../core/copies/record-tables.js'
import { OperatorError } from '../../lib/operator-error.js'
import { copyBeforeUpgrade, keepWaitingClicks, wayBack } from '../../storage/copies/before-upgrade.js'
import type { Records, RecordsOptions } from '../../storage/records/records.js'
import { openSqlite } from '../../storage/records/sqlite.js'
import { createSecretsKey, secretsKeyIn } from '../../storage/sql/database/encryption.js'
import * as migrations from '../../storage/sql/migrations/index.js'
import { recordsFile } from '../../storage/sql/records-file.js'

/**
 * Opens the database alone: all that administrative commands need while the service is stopped. `createsKey`: the service
 * and commands that fill a new database may create the key that encrypts its secrets, unless there is something to decrypt.
 */
export async function openRecords(
  config: RecordsPlace,
  use: Pick<
    RecordsOptions,
    'allowances' | 'onAvailability' | 'onDamage' | 'onFull' | 'onUnresponsive' | 'mapped' | 'onQuery'
  > & { readonly createsKey?: boolean } = {},
): Promise<Records> {
  const { createsKey = false, ...options } = { ...use, secretsKey: config.secretsKey }
  if (config.databaseUrl !== undefined) {
    const { openPostgres } = await import('../../storage/records/postgres.js')
    return openPostgres(config.databaseUrl, options)
  }
  makeDataDir(config.dataDir)
  const secretsKey =
    config.secretsKey ?? secretsKeyIn(config.dataDir) ?? (createsKey ? await newKey(config) : undefined)
  return openSqlite(recordsFile(config.dataDir), {
    ...options,
    secretsKey,
    needsKey: true,
    wayBack: () => wayBack(config.dataDir),
  })
}

/** A second key beside the one that is missing is the operator's decision: what each encrypted, only that one decrypts. */
async function newKey(config: RecordsPlace): Promise<string> {
  const lost = existsSync(recordsFile(config.dataDir)) ? await undecryptable(config) : []
  if (lost.length === 0) return createSecretsKey(config.dataDir)
  throw new OperatorError(
    `${config.dataDir} has no secrets.key, with which its records are encrypted (${lostText(lost)}). Copy yours there. ` +
      'If it is lost, run "shortlink secrets new-key", which says what to repair (docs/backup.md#secrets).',
  )
}

export async function undecryptable(config: RecordsPlace): Promise<readonly LostRows[]> {
  const records = await openRecords(config)
  try {
    return await records.tables.undecryptable(secretKinds)
  } finally {
    await records.close()
  }
}

/**
 * Migrates the database. One in the data directory is copied first, unless it is new: this process is the only one that uses
 * it, and may have been upgraded without anybody thinking of a backup.
 */
export async function migrateRecords(
  { databaseUrl, dataDir, clickhouseUrl }: RecordsPlace & Partial<Pick<Config, 'clickhouseUrl'>>,
  records: Records,
): Promise<{ readonly migrations: readonly string[]; readonly copy: string | undefined }> {
  const [first] = await records.pendingMigrations()
  const isNew = first === Object.keys(migrations)[0]
  const copy =
    databaseUrl === undefined && first && !isNew ? copyBeforeUpgrade(dataDir, 'records.sqlite', first) : undefined
  if (copy !== undefined && clickhouseUrl === undefined) keepWaitingClicks(dataDir, copy)
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
