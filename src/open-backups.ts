/** Makes and restores backups of the configured stores. A part of the composition root, for commands and the schedule. */
import { resolve } from 'node:path'
import type { Config } from './config/config.js'
import { type BackupProgress, makeBackup, type RecordCopier } from './core/backups/make-backup.js'
import type { BackupManifest } from './core/backups/manifest.js'
import { type Backup, type RestoreProgress, restoreBackup } from './core/backups/restore-backup.js'
import type { ClickCopier } from './core/clicks/click-copy.js'
import { systemClock } from './core/values/time.js'
import { OperatorError } from './lib/operator-error.js'
import { openBlobs } from './open-blobs.js'
import { restoredClickhouseClicks } from './storage/backups/clickhouse-clicks.js'
import { dataFilesOf } from './storage/backups/data-files.js'
import { restoredDuckdbClicks } from './storage/backups/duckdb-clicks.js'
import { emptyPlace } from './storage/backups/empty-place.js'
import { newBackup } from './storage/backups/new-backup.js'
import { postgresRecordCopier, restoredPostgresRecords } from './storage/backups/postgres-records.js'
import { isTar } from './storage/backups/read-manifest.js'
import { openSecrets, sealSecrets } from './storage/backups/sealed-secrets.js'
import { restoredSqliteRecords, sqliteRecordCopier } from './storage/backups/sqlite-records.js'
import { newTarBackup } from './storage/backups/tar-backup.js'
import { httpSession } from './storage/clickhouse/http-session.js'
import { migrations } from './storage/sql/migrations/index.js'
import { recordsFile } from './storage/sql/records-file.js'

export type StoresConfig = Pick<
  Config,
  'dataDir' | 'databaseUrl' | 'clickhouseUrl' | 'clickhouseCluster' | 's3Url' | 'backupPassphrase'
>

export interface BackupOptions {
  readonly program: string
  readonly tell: (progress: BackupProgress) => void
}

/** Blocks this thread while it copies SQLite files. */
export async function backUp(
  config: StoresConfig,
  directory: string,
  clickCopier: ClickCopier,
  { program, tell }: BackupOptions,
): Promise<BackupManifest> {
  const { backupPassphrase: passphrase } = config
  const place = resolve(directory)
  const target = await (isTar(place) ? newTarBackup(place) : newBackup(place))
  try {
    return await makeBackup(
      {
        target,
        clickCopier,
        recordCopier: recordCopierOf(config),
        dataFiles: dataFilesOf(config.dataDir),
        blobs: openBlobs(config),
        encryptSecrets: passphrase === undefined ? undefined : (secrets) => sealSecrets(secrets, passphrase),
        clock: systemClock,
      },
      { program, schema: Object.keys(migrations).at(-1) ?? '' },
      tell,
    )
  } finally {
    await target.discard()
  }
}

function recordCopierOf({ dataDir, databaseUrl }: StoresConfig): RecordCopier {
  return databaseUrl === undefined ? sqliteRecordCopier(recordsFile(dataDir)) : postgresRecordCopier(databaseUrl)
}

export async function restore(
  config: StoresConfig,
  backup: Backup,
  { withSecrets, tell }: { readonly withSecrets: boolean; readonly tell: (progress: RestoreProgress) => void },
): Promise<void> {
  const { manifest } = backup
  requireSameEngines(config, manifest)
  requireKnownSchema(manifest)
  const { backupPassphrase: passphrase } = config
  if (withSecrets && manifest.secrets === 'encrypted' && passphrase === undefined) {
    throw new OperatorError(
      'The secrets of this backup are encrypted. Set the passphrase that it was made with (backupPassphrase, or ' +
        'SHORTLINK_BACKUP_PASSPHRASE), or restore with --without-secrets.',
    )
  }
  const { dataDir, databaseUrl, clickhouseUrl, clickhouseCluster } = config
  const clickhouse = clickhouseUrl === undefined ? undefined : httpSession(clickhouseUrl)
  const place = emptyPlace(dataDir, {
    records: databaseUrl === undefined ? restoredSqliteRecords : restoredPostgresRecords(databaseUrl),
    clicks: clickhouse ? restoredClickhouseClicks(clickhouse, clickhouseCluster) : restoredDuckdbClicks,
    blobs: config.s3Url === undefined ? undefined : openBlobs(config),
  })
  const decryptSecrets =
    withSecrets && passphrase !== undefined ? (bytes: Uint8Array) => openSecrets(bytes, passphrase) : undefined
  try {
    await restoreBackup({ backup, place, decryptSecrets }, tell)
  } finally {
    await clickhouse?.close()
  }
}

/** A backup continues on the same engines; an export moves to others. */
function requireSameEngines({ databaseUrl, clickhouseUrl }: StoresConfig, { engines }: BackupManifest): void {
  const wanted = [
    { name: 'databaseUrl', isSet: databaseUrl !== undefined, isNeeded: engines.records === 'postgres' },
    { name: 'clickhouseUrl', isSet: clickhouseUrl !== undefined, isNeeded: engines.clicks === 'clickhouse' },
  ]
  for (const { name, isSet, isNeeded } of wanted) {
    if (isSet === isNeeded) continue
    throw new OperatorError(
      `This backup is of ${engines.records} and ${engines.clicks}: ${isNeeded ? `set ${name}` : `do not set ${name}`}. ` +
        'To move to other engines, restore it first, then use "shortlink export" (docs/archives.md).',
    )
  }
}

function requireKnownSchema({ schema, program }: BackupManifest): void {
  if (schema in migrations) return
  throw new OperatorError(
    `This backup was made by a newer version of shortlink (${program}). Restore it with that version.`,
  )
}
