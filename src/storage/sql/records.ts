/**
 * Everything the service keeps in a relational database, on whichever engine was opened. The queries are written once;
 * an engine brings only its connection and knows which of its errors pass by themselves. No HTTP, no rules of the product.
 */

import { type Kysely, Migrator, sql } from 'kysely'
import type { AccountStore } from '../../core/accounts/account-store.js'

import type { ApplicationStore } from '../../core/accounts/application-store.js'
import type { AuditedStores, AuditStore } from '../../core/accounts/audit-store.js'

import type { GroupStore } from '../../core/accounts/group-store.js'

import type { CampaignStore } from '../../core/campaigns/campaign-store.js'
import type { ClickStore } from '../../core/clicks/click-store.js'
import type { DomainStore } from '../../core/domains/domain-store.js'
import type { ImageStore } from '../../core/images/image-store.js'
import type { LinkStore } from '../../core/links/link-store.js'
import type { ExternalChanges } from '../../core/links/redirect-cache.js'
import type { MobileAppStore } from '../../core/mobile-apps/mobile-app-store.js'
import type { StreamStore } from '../../core/stream/stream-store.js'
import type { UsageStore } from '../../core/usage/usage-store.js'

import type { Closable } from '../../lib/closing.js'
import { OperatorError } from '../../lib/operator-error.js'
import { sqlAccountStore } from './accounts/account-store.js'
import { sqlApplicationStore } from './accounts/application-store.js'
import { sqlAuditStore } from './accounts/audit-store.js'
import { encryptionWith, noEncryption } from './accounts/encryption.js'
import { sqlGroupStore } from './accounts/group-store.js'
import { sqlMobileAppStore } from './accounts/mobile-app-store.js'
import { sqlCampaignStore } from './campaigns/campaign-store.js'
import { sqlClickStore } from './clicks/click-store.js'
import type { Announce } from './database/announce.js'
import type { Lookup } from './database/lookup.js'
import type { Schema } from './database/schema.js'
import { retrying, type Transact, transactOn } from './database/transact.js'
import { sqlDomainStore } from './domains/domain-store.js'
import { sqlImageStore } from './images/image-store.js'
import type { PositionFunction } from './links/link-lists.js'
import { sqlLinkStore } from './links/link-store.js'
import { migrations } from './migrations/index.js'
import { sqlStreamStore } from './stream/stream-store.js'
import { type Allowances, usageCounts } from './usage/count-usage.js'
import { sqlUsageStore } from './usage/usage-store.js'

export interface RecordStores {
  readonly accounts: AccountStore
  readonly audit: AuditStore
  readonly groups: GroupStore
  readonly applications: ApplicationStore
  readonly campaigns: CampaignStore
  readonly images: ImageStore
  readonly links: LinkStore
  readonly domainStore: DomainStore
  /** What other processes change in the same records. */
  readonly externalChanges: ExternalChanges
  readonly mobileApps: MobileAppStore
  readonly usage: UsageStore
  readonly streamStore: StreamStore
  readonly clickStore: ClickStore
}

export interface Records extends RecordStores {
  /** Names of the migrations that `migrate` would run. Throws when the database is newer than this program. */
  pendingMigrations(): Promise<readonly string[]>
  /** Brings the schema up to date and answers what it ran. Opening never does this by itself. */
  migrate(): Promise<readonly string[]>
  /** Rejects when the database does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface RecordsOptions {
  /** What organizations may use in a month; without it, as much as they like. */
  readonly allowances?: Allowances
  /** Encrypts what must be readable again; without it, it is kept as it is. */
  readonly secretsKey?: string | undefined
  /** Told why the database does not answer, and `undefined` when it does again. */
  readonly onAvailability?: (failure: string | undefined) => void
  /** Told when notifications of other processes do not arrive although the connection works. */
  readonly onDeaf?: () => void
}

export interface Engine {
  readonly db: Kysely<Schema>
  /** Has no time limit. */
  readonly migrations: Kysely<Schema>
  readonly lookup: Lookup
  /** The error means that nothing was written and that trying again may succeed. */
  readonly isTransient: (error: unknown) => boolean
  /** How many transactions of new links may be under way at once. */
  readonly parallelInserts: number
  readonly announce: Announce
  readonly position: PositionFunction
  /** For how many milliseconds the oldest change of any process has been open; 0 when there is none. */
  readonly openFor: () => Promise<number>
  readonly externalChanges: ExternalChanges & Closable
  /** Closes every connection. */
  close(): Promise<void>
}

export function recordsOn(engine: Engine, options: RecordsOptions): Records {
  const { db, isTransient, announce, externalChanges } = engine
  const transact = transactOn(db, isTransient)
  const countUsage = usageCounts(db, options.allowances ?? { limitsOf: () => undefined })
  const migrator = new Migrator({ db: engine.migrations, provider: { getMigrations: async () => ({ ...migrations }) } })

  const encryption = options.secretsKey === undefined ? noEncryption : encryptionWith(options.secretsKey)
  const auditedStores = (transact: Transact): AuditedStores => ({
    accounts: sqlAccountStore(db, transact, encryption),
    groups: sqlGroupStore(db, transact),
    applications: sqlApplicationStore(db, transact),
  })

  async function migrate(): Promise<readonly string[]> {
    await refuseNewer(db)
    const { error, results = [] } = await migrator.migrateToLatest()
    if (error) throw error
    return results.map((result) => result.migrationName)
  }

  return {
    ...auditedStores(transact),
    audit: sqlAuditStore(db, transact, auditedStores),
    campaigns: sqlCampaignStore(db, transact),
    images: sqlImageStore(db, transact),
    links: sqlLinkStore(db, transact, {
      lookup: engine.lookup,
      parallel: engine.parallelInserts,
      announce,
      countUsage,
      position: engine.position,
    }),
    domainStore: sqlDomainStore(db, transact),
    mobileApps: sqlMobileAppStore(db, transact),
    usage: sqlUsageStore(db, transact),
    streamStore: sqlStreamStore(db, transact, engine.openFor),
    clickStore: sqlClickStore(db, transact),
    async pendingMigrations() {
      await refuseNewer(db)
      const all = await migrator.getMigrations()
      return all.filter((migration) => !migration.executedAt).map((migration) => migration.name)
    },
    migrate: () => retrying(isTransient, migrate),
    async ping() {
      await engine.lookup(sql`select 1`.compile(db))
    },
    externalChanges,
    async close() {
      await externalChanges.close()
      await engine.close()
    },
  }
}

async function refuseNewer(db: Kysely<Schema>): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === 'kysely_migration')) return
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  const unknown = rows.map((row) => row.name).filter((name) => !(name in migrations))
  if (unknown.length === 0) return
  throw new OperatorError(
    `The database was written by a newer version of shortlink (unknown migration ${unknown.join(', ')}): ` +
      'run that version, or restore a backup made before the upgrade.',
  )
}
