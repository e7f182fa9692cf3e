/** Makes and restores backups of the configured stores. A part of the composition root, for commands and the schedule. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Config } from '../../config/config.js'
import type { ClickCopier } from '../../core/clicks/click-copy.js'
import type { NewCopy, Tell } from '../../core/copies/copy.js'
import { type BackupStep, makeBackup, type RecordCopier } from '../../core/copies/make-backup.js'
import type { BackupManifest } from '../../core/copies/manifest.js'
import { type Backup, type RestoreStep, restoreBackup } from '../../core/copies/restore-backup.js'
import { type ScheduledBackups, scheduledName } from '../../core/copies/schedule.js'
import { systemClock } from '../../core/values/time.js'
import { isDiskFull } from '../../lib/environment-fault.js'
import { OperatorError } from '../../lib/operator-error.js'
import { s3Blobs } from '../../storage/blobs/s3-blobs.js'
import { httpSession } from '../../storage/clickhouse/http-session.js'
import { restoredClickhouseClicks } from '../../storage/copies/clickhouse-clicks.js'
import { dataFilesOf } from '../../storage/copies/data-files.js'
import { restoredDuckdbClicks } from '../../storage/copies/duckdb-clicks.js'
import { emptyPlace } from '../../storage/copies/empty-place.js'
import { explainedBlobs } from '../../storage/copies/explained-blobs.js'
import { backupFormat, unfinishedEnding } from '../../storage/copies/manifest.js'
import { newCopy } from '../../storage/copies/new-copy.js'
import { type FoundBackup, listBackups, openCopy } from '../../storage/copies/open-copy.js'
import { postgresRecordCopier, restoredPostgresRecords } from '../../storage/copies/postgres-records.js'
import { isStoreUrl, type S3Backups, s3Backups } from '../../storage/copies/s3.js'
import { openSecrets, sealSecrets } from '../../storage/copies/sealed-secrets.js'
import { restoredSqliteRecords, sqliteRecordCopier } from '../../storage/copies/sqlite-records.js'
import * as migrations from '../../storage/sql/migrations/index.js'
import { recordsFile } from '../../storage/sql/records-file.js'
import { openBlobs } from './open-blobs.js'

export type StoresConfig = Pick<
  Config,
  'dataDir' | 'databaseUrl' | 'clickhouseUrl' | 'clickhouseCluster' | 's3Url' | 'backupPassphrase' | 'backupTo'
>

export interface BackupOptions {
  readonly program: string
  readonly tell: Tell<BackupStep>
}

/** Blocks this thread while it copies SQLite files. */
export async function backUp(
  config: StoresConfig,
  directory: string,
  clickCopier: ClickCopier,
  { program, tell }: BackupOptions,
): Promise<BackupManifest> {
  const { backupPassphrase: passphrase } = config
  const target = await targetOf(config, directory)
  try {
    return await makeBackup(
      {
        target,
        clickCopier,
        recordCopier: recordCopierOf(config),
        dataFiles: dataFilesOf(config.dataDir),
        blobs: explainedBlobs(openBlobs(config), 's3Url'),
        encryptSecrets: passphrase === undefined ? undefined : (secrets) => sealSecrets(secrets, passphrase),
        clock: systemClock,
      },
      program,
      tell,
    )
  } catch (error) {
    throw isDiskFull(error) ? noSpace(config, directory) : error
  } finally {
    await target.discard()
  }
}

function noSpace({ dataDir }: StoresConfig, target: string): OperatorError {
  const where =
    nameInStore(target) === undefined ? `of ${target}` : `of ${dataDir}, where a backup waits for its upload,`
  return new OperatorError(
    `The disk ${where} is full. The backup was not finished, and what was written is deleted. Free some space, or choose another target.`,
  )
}

function targetOf(config: StoresConfig, target: string): Promise<NewCopy> {
  const name = nameInStore(target)
  if (name === undefined) return newCopy(resolve(target), backupFormat)
  return backupStore(config).create(name, join(config.dataDir, `${staged}${name}`))
}

/** A backup is written to the data directory before it is uploaded. */
const staged = 'backup-to-upload-'

/** What scheduled backups left there when the process was killed. */
export function removeStaged(dataDir: string): void {
  removeUnfinishedIn(dataDir, staged)
}

function removeUnfinishedIn(folder: string, prefix = ''): void {
  for (const name of readdirSync(folder)) {
    const isUnfinished = name.startsWith(prefix) && name.endsWith(unfinishedEnding)
    if (isUnfinished && scheduledName.test(name.slice(prefix.length, -unfinishedEnding.length)))
      rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/** A folder, a tar file, or `s3:NAME` in the store of `backupTo`. */
export function openBackupAt(config: Pick<Config, 'backupTo'>, target: string, scratch?: string): Promise<Backup> {
  const name = nameInStore(target)
  if (name === undefined) return openCopy(resolve(target), backupFormat, scratch)
  return backupStore(config).open(name, scratch ?? tmpdir())
}

/** In a folder, or `s3:`. */
export async function listBackupsAt(config: Pick<Config, 'backupTo'>, folder: string): Promise<readonly FoundBackup[]> {
  if (folder !== inStore) return listBackups(resolve(folder))
  return (await backupStore(config).list()).map((found) => ({ ...found, path: `${inStore}${found.name}` }))
}

const inStore = 's3:'

function nameInStore(target: string): string | undefined {
  if (!target.startsWith(inStore)) return undefined
  const name = target.slice(inStore.length)
  if (/^\w[\w.-]{0,100}$/.test(name)) return name
  throw new OperatorError(
    `"${target}" is not the name of a backup: letters, digits, ".", "-" and "_" after ${inStore}.`,
    2,
  )
}

function backupStore({ backupTo }: Pick<Config, 'backupTo'>): S3Backups {
  if (backupTo !== undefined && isStoreUrl(backupTo))
    return s3Backups(explainedBlobs(s3Blobs(backupTo, { timeout: 60_000, totalTimeout: 180_000 }), 'backupTo'))
  throw new OperatorError(`Set backupTo (SHORTLINK_BACKUP_TO) to the URL of the S3 store that ${inStore} means.`)
}

/** Those that the service makes by itself, named by their time. Leaves all others alone. */
export function scheduledBackups(
  { backupTo: folder }: { readonly backupTo: string },
  make: (target: string) => Promise<BackupManifest>,
): ScheduledBackups {
  const place = isStoreUrl(folder) ? backupStore({ backupTo: folder }) : backupsIn(folder)
  return {
    ...place,
    async list() {
      const found = (await place.list()).filter(({ name }) => scheduledName.test(name))
      return found.flatMap(({ name, manifest }) =>
        manifest ? [{ name, finishedAt: Date.parse(manifest.finished_at) }] : [],
      )
    },
    make: (name) => make(isStoreUrl(folder) ? `${inStore}${name}` : join(folder, name)),
  }
}

function backupsIn(folder: string): Pick<S3Backups, 'list' | 'remove' | 'removeUnfinished'> {
  return {
    async list() {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      return listBackups(folder)
    },
    async remove(name) {
      // It counts no longer as complete before the first file is gone.
      const path = join(folder, name)
      await rename(path, `${path}${unfinishedEnding}`)
      await rm(`${path}${unfinishedEnding}`, { recursive: true })
    },
    removeUnfinished: async () => removeUnfinishedIn(folder),
  }
}

function recordCopierOf({ dataDir, databaseUrl }: StoresConfig): RecordCopier {
  return databaseUrl === undefined ? sqliteRecordCopier(recordsFile(dataDir)) : postgresRecordCopier(databaseUrl)
}

export async function restore(
  config: StoresConfig,
  backup: Backup,
  { withSecrets, tell }: { readonly withSecrets: boolean; readonly tell: Tell<RestoreStep> },
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
    blobs: config.s3Url === undefined ? undefined : explainedBlobs(openBlobs(config), 's3Url'),
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
        'To move to other engines, restore it first, then use "shortlink move" (docs/operating.md#moving-to-other-engines).',
    )
  }
}

function requireKnownSchema({ schema, program }: BackupManifest): void {
  if (schema in migrations) return
  throw new OperatorError(
    `This backup was made by a newer version of shortlink (${program}). Restore it with that version.`,
  )
}
