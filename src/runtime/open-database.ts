/** Opens the database of the service, and says what happens to it. A part of the composition root. */
import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import { keptBeforeUpgrade } from '../core/copies/copy.js'
import { repairableKinds } from '../core/copies/encrypted-records.js'
import { requireNotMoved } from '../core/copies/moved-records.js'
import type { LostRows } from '../core/copies/record-tables.js'
import type { Closing } from '../lib/closing.js'
import { OperatorError } from '../lib/operator-error.js'
import { version } from '../lib/version.js'
import type { Records, RecordsOptions } from '../storage/records/records.js'
import { dataVersion, writeDataVersion } from './stores/data-version.js'
import { migrateRecords, openRecords } from './stores/open-records.js'
import { ListThread } from './threads/list-thread.js'
import type { ListStores } from './threads/list-worker.js'

/** Its schema is the one of this version, and it is in use. */
export async function openDatabase(
  config: Config,
  log: Logger,
  options: Pick<RecordsOptions, 'allowances' | 'onQuery'>,
  closing: Closing,
): Promise<Records> {
  const records = closing.add(await openRecords(config, { createsKey: true, ...options, ...recordEvents(log) }))
  await requireSchema(config, records, log)
  await requireNotMoved(records)
  return records
}

function recordEvents(log: Logger): Pick<RecordsOptions, 'onAvailability' | 'onDamage' | 'onFull' | 'onUnresponsive'> {
  return {
    onAvailability: (failure) =>
      failure === undefined
        ? log.warn('the database is reachable again')
        : log.error({ failure }, 'cannot reach the database; serving cached redirects, refusing all other requests'),
    onDamage: (reason) =>
      log.error(
        { reason },
        'the records are damaged: some links and lists fail; "shortlink doctor" names the backup to restore',
      ),
    onFull: (failure) =>
      failure === undefined
        ? log.warn('the records are writable again')
        : log.error({ failure }, 'cannot write the records; redirects continue, all changes are refused'),
    onUnresponsive: () =>
      log.warn(
        'PostgreSQL notifications do not arrive, so changes by other processes take effect up to a minute late; ' +
          'connect to the server directly, or use a connection pooler in session mode',
      ),
  }
}

/** A database that a newer version migrated is refused, with the version that used this data directory last. */
async function pendingMigrations(records: Records, former: string | undefined): Promise<readonly string[]> {
  try {
    return await records.pendingMigrations()
  } catch (error) {
    if (!(error instanceof OperatorError) || former === undefined) throw error
    throw new OperatorError(
      `${error.message} The data directory was last used by shortlink ${former}; this is ${version()}.`,
    )
  }
}

/** SQLite is migrated at the start. PostgreSQL may be shared, so its operator decides when to migrate. */
async function requireSchema(config: Config, records: Records, log: Logger): Promise<void> {
  const former = dataVersion(config.dataDir)
  const pending = await pendingMigrations(records, former)
  if (pending.length === 0) return writeDataVersion(config.dataDir)
  if (config.databaseUrl !== undefined) {
    throw new OperatorError(
      `The database is ${pending.length} migration(s) behind this version. Run "bin/shortlink migrate" first.`,
    )
  }
  const { migrations, copy } = await migrateRecords(config, records)
  writeDataVersion(config.dataDir)
  log.info({ migrations, from: former, to: version() }, 'database migrated')
  if (copy !== undefined) log.info({ copy }, keptBeforeUpgrade)
}

/** With SQLite, lists are read in a thread of their own: a synchronous scan of many rows would block the event loop. */
export function openLists(config: Config, log: Logger, records: Records, closing: Closing): ListStores {
  if (config.databaseUrl !== undefined) return records
  const thread = closing.add(new ListThread(config, log.child({ room: 'lists' }), () => records.faults?.damaged()))
  return thread.over(records)
}

/** The key stays the same while the process runs: once everything can be decrypted, the tables are not read again. */
export function lostSecretsOf({ tables }: Records): () => Promise<readonly LostRows[]> {
  let isRepaired = false
  return async () => {
    const lost = isRepaired ? [] : await tables.undecryptable(repairableKinds)
    isRepaired = lost.length === 0
    return lost
  }
}
