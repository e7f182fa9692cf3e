/**
 * Where the records are: a part of app.ts that stands alone, because threads and commands need the records and nothing
 * else, and loading all of the service takes a second.
 */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from './config/config.js'
import { OperatorError } from './lib/operator-error.js'
import { secretsKeyIn } from './storage/sql/accounts/secrets-key.js'
import { openPostgres } from './storage/sql/postgres.js'
import type { Records, RecordsOptions } from './storage/sql/records.js'
import { recordsFile } from './storage/sql/records-file.js'
import { openSqlite } from './storage/sql/sqlite.js'

/** The records alone: all that administrative commands need while the service is stopped. */
export async function openRecords(
  config: RecordsPlace,
  use: Pick<RecordsOptions, 'allowances' | 'onAvailability' | 'onDeaf'> = {},
): Promise<Records> {
  const { secretsKey } = config
  const options = { ...use, secretsKey }
  if (config.databaseUrl !== undefined) return openPostgres(config.databaseUrl, options)
  makeDataDir(config.dataDir)
  return openSqlite(recordsFile(config.dataDir), { ...options, secretsKey: secretsKey ?? secretsKeyIn(config.dataDir) })
}

/** Where the records are; the URL is a secret. */
export type RecordsPlace = Pick<Config, 'databaseUrl' | 'dataDir'> & Partial<Pick<Config, 'secretsKey'>>

function makeDataDir(directory: string): void {
  try {
    makeFolder(directory)
  } catch (error) {
    throw new OperatorError(
      `The data directory ${directory} cannot be created (${(error as Error).message}). Choose another with --data-dir.`,
    )
  }
}

/** Not `recursive`: node tries for ever where a file system says that there is no such place (`/proc/data`). */
function makeFolder(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return
  const parent = dirname(directory)
  if (parent !== directory) makeFolder(parent)
  mkdirSync(directory, { mode: 0o700 })
}
