/**
 * All relational data of the service, on either engine. The queries are written once; an engine only provides its
 * connection and recognises its transient errors. No HTTP, no product rules.
 */

import { type Kysely, Migrator, sql } from 'kysely'
import type { AccountStore } from '../../core/accounts/account-store.js'

import type { ApplicationStore } from '../../core/accounts/application-store.js'
import type { AuditedStores, AuditStore } from '../../core/accounts/audit-store.js'

import type { GroupStore } from '../../core/accounts/group-store.js'
import type { BulkJobStore } from '../../core/bulk/job-store.js'
import type { CampaignStore } from '../../core/campaigns/campaign-store.js'
import type { ClickStore } from '../../core/clicks/click-store.js'
import type { RecordTables } from '../../core/copies/record-tables.js'
import type { DomainStore } from '../../core/domains/domain-store.js'
import type { AnnotationStore, UtmTemplateStore, ViewStore } from '../../core/groups/group-record-store.js'
import type { AnswerStore } from '../../core/idempotency/answer-store.js'
import type { ImageStore } from '../../core/images/image-store.js'
import type { ImportStore } from '../../core/imports/import-store.js'
import type { LinkStore } from '../../core/links/link-store.js'
import type { ExternalChanges } from '../../core/links/redirect-cache.js'
import type { TagStore } from '../../core/links/tag-store.js'
import type { MobileAppStore } from '../../core/mobile-apps/mobile-app-store.js'
import type { PrivacyStore } from '../../core/privacy/privacy-store.js'
import type { QrCodeStore } from '../../core/qr-codes/qr-code-store.js'
import type { SiteStore } from '../../core/sites/site-store.js'
import type { StreamStore } from '../../core/stream/stream-store.js'
import type { SiteIconStore } from '../../core/titles/site-icon-store.js'
import type { UsageStore } from '../../core/usage/usage-store.js'
import type { WebhookStore } from '../../core/webhooks/webhook-store.js'

import type { Remote } from '../../lib/circuit-breaker.js'
import { OperatorError } from '../../lib/operator-error.js'
import { type Encryption, encryptionWith, missingKey, noEncryption } from '../sql/database/encryption.js'
import { type RequestParts, retrying, type Transact, transactOn } from '../sql/database/transact.js'
import type { Engine, EngineOptions, Notices, RecordFaults } from '../sql/engine.js'
import * as migrations from '../sql/migrations/index.js'
import type { Schema } from '../sql/tables/schema.js'
import { sqlAccountStore } from './accounts/account-store.js'
import { sqlApplicationStore } from './accounts/application-store.js'
import { sqlAuditStore } from './accounts/audit-store.js'
import { sqlAnnotationStore, sqlUtmTemplateStore, sqlViewStore } from './accounts/group-record-store.js'
import { sqlGroupStore } from './accounts/group-store.js'
import { sqlMobileAppStore } from './accounts/mobile-app-store.js'
import { sqlBulkJobStore } from './bulk/job-store.js'
import { sqlCampaignStore } from './campaigns/campaign-store.js'
import { sqlClickStore } from './clicks/click-store.js'
import { sqlRecordTables } from './copies/record-tables.js'
import { sqlDomainStore } from './domains/domain-store.js'
import { sqlAnswerStore } from './idempotency/answer-store.js'
import { sqlImageStore } from './images/image-store.js'
import { sqlImportStore } from './imports/import-store.js'
import { sqlLinkStore } from './links/link-store.js'
import { sqlTagStore } from './links/tag-store.js'
import { linkUpdate } from './links/write-links.js'
import { sqlPrivacyStore } from './privacy/privacy-store.js'
import { sqlQrCodeStore } from './qr-codes/qr-code-store.js'
import { sqlSiteStore } from './sites/site-store.js'
import { sqlStreamStore } from './stream/stream-store.js'
import { sqlSiteIconStore } from './titles/site-icon-store.js'
import { type Allowances, usageCounts, usageLimits } from './usage/count-usage.js'
import { sqlUsageStore } from './usage/usage-store.js'
import { sqlWebhookStore } from './webhooks/webhook-store.js'

export interface RecordStores {
  readonly accounts: AccountStore
  readonly answers: AnswerStore
  /** Runs the work once the caller's writes are committed, for caches and threads that read them. */
  readonly afterCommit: <Result>(work: () => Result) => Result | undefined
  /**
   * Everything that the work writes is one transaction, which begins with the check: if the check throws, nothing is
   * written, also by work that began before. Nobody else changes meanwhile what the check read and the work writes:
   * otherwise both run again.
   */
  readonly changeIf: <Result>(check: () => Promise<void>, work: () => Promise<Result>) => Promise<Result>
  readonly audit: AuditStore
  readonly groups: GroupStore
  readonly applications: ApplicationStore
  readonly bulkJobs: BulkJobStore
  readonly campaigns: CampaignStore
  readonly images: ImageStore
  readonly links: LinkStore
  readonly linkImports: ImportStore
  readonly qrCodes: QrCodeStore
  readonly sites: SiteStore
  readonly domainStore: DomainStore
  /** Changes by other processes to the same records. */
  readonly externalChanges: ExternalChanges
  readonly mobileApps: MobileAppStore
  readonly tags: TagStore
  readonly utmTemplates: UtmTemplateStore
  readonly views: ViewStore
  readonly annotations: AnnotationStore
  readonly privacy: PrivacyStore
  readonly usage: UsageStore
  readonly streamStore: StreamStore
  readonly clickStore: ClickStore
  readonly webhookStore: WebhookStore
  readonly siteIcons: SiteIconStore
}

export interface Records extends RecordStores {
  /** For moving all records to another engine. */
  readonly tables: RecordTables
  /** Names of the migrations that `migrate` would run. Throws if the database is newer than this program. */
  pendingMigrations(): Promise<readonly string[]>
  /** Updates the schema, up to this migration or the newest, and returns the migrations that ran. Opening never migrates. */
  migrate(upTo?: string): Promise<readonly string[]>
  /** Rejects if the database does not answer. */
  ping(): Promise<void>
  /** What is wrong with the file; undefined for a server, which its own operator watches. */
  readonly faults: RecordFaults | undefined
  /** The database server; undefined for a file. */
  readonly server: Remote['server'] | undefined
  /** Undefined where no other process shares the database, and for servers without notifications. */
  readonly notices: Notices | undefined
  close(): Promise<void>
}

export interface RecordsOptions extends EngineOptions {
  /** Monthly limits of organizations; undefined: unlimited. */
  readonly allowances?: Allowances
  /** Encrypts secrets that must be readable again; undefined: stored as plain text. */
  readonly secretsKey?: string | undefined
  /** Without a key nothing is stored that must be encrypted. */
  readonly needsKey?: boolean
  /** For messages: how to undo an upgrade; empty if that is not possible. */
  readonly wayBack?: () => string
}

export function recordsOn(engine: Engine, options: RecordsOptions): Records {
  const { db, isTransient, announce, externalChanges, requests } = engine
  const transact = transactOn(db, isTransient, requests)
  const allowances = options.allowances ?? { limitsOf: () => undefined }
  const countUsage = usageCounts(db, allowances)
  const migrator = new Migrator({ db: engine.migrations, provider: { getMigrations: async () => ({ ...migrations }) } })

  const runAsOne = <T>(parts: RequestParts<T>) => retrying(isTransient, () => requests.run(db, parts))
  const encryption = encryptionOf(options)
  const auditedStores = (transact: Transact): AuditedStores => ({
    accounts: sqlAccountStore(db, transact, encryption),
    groups: sqlGroupStore(db, transact, announce),
    applications: sqlApplicationStore(db, transact),
  })

  async function migrate(upTo: string | undefined): Promise<readonly string[]> {
    if (await isNewer(db, options)) return []
    const { error, results = [] } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo))
    if (error) throw error
    return results.map((result) => result.migrationName)
  }

  return {
    ...auditedStores(transact),
    tables: sqlRecordTables(engine.migrations, engine.tablePages, encryption),
    audit: sqlAuditStore(db, transact, auditedStores),
    afterCommit: (work) => requests.afterCommit(work),
    changeIf: (check, work) => runAsOne({ begin: check, work, end: async () => {}, isolation: 'serializable' }),
    answers: sqlAnswerStore(db, transact, { encryption, runAsOne }),
    bulkJobs: sqlBulkJobStore(db, transact, { runAsOne }),
    campaigns: sqlCampaignStore(db, transact),
    images: sqlImageStore(db, transact),
    links: sqlLinkStore(db, transact, {
      lookup: engine.lookup,
      parallel: engine.parallelInserts,
      readsJson: engine.readsJson,
      isAlone: requests.isInside,
      announce,
      countUsage,
      usageLimits: usageLimits(allowances),
      position: engine.position,
    }),
    // An import is the operator's: it spends no allowance of a plan.
    linkImports: sqlImportStore(db, transact, { announce, update: linkUpdate(announce, async () => {}) }),
    qrCodes: sqlQrCodeStore(db, transact, { announce, countUsage, position: engine.position }),
    sites: sqlSiteStore(db, transact, { announce, countUsage }),
    domainStore: sqlDomainStore(db, transact),
    mobileApps: sqlMobileAppStore(db, transact),
    tags: sqlTagStore(db, transact),
    utmTemplates: sqlUtmTemplateStore(db, transact),
    views: sqlViewStore(db, transact),
    annotations: sqlAnnotationStore(db, transact),
    privacy: sqlPrivacyStore(db, transact, announce),
    usage: sqlUsageStore(db, transact, allowances),
    streamStore: sqlStreamStore(db, transact, engine.openFor),
    clickStore: sqlClickStore(db, transact),
    webhookStore: sqlWebhookStore(db, transact, encryption),
    siteIcons: sqlSiteIconStore(db, transact),
    async pendingMigrations() {
      if (await isNewer(db, options)) return []
      const all = await migrator.getMigrations()
      return all.filter((migration) => !migration.executedAt).map((migration) => migration.name)
    },
    migrate: (upTo) => retrying(isTransient, () => migrate(upTo)),
    async ping() {
      await engine.lookup(sql`select 1`.compile(db))
    },
    externalChanges,
    server: engine.server,
    notices: engine.notices,
    faults: engine.faults,
    close: () => engine.close(),
  }
}

function encryptionOf({ secretsKey, needsKey = false }: RecordsOptions): Encryption {
  if (secretsKey !== undefined) return encryptionWith(secretsKey)
  return needsKey ? missingKey : noEncryption
}

/** Whether a newer version has migrated the database. This one may use it if those migrations have only expanded it. */
async function isNewer(db: Kysely<Schema>, { wayBack }: RecordsOptions): Promise<boolean> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === 'kysely_migration')) return false
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  const unknown = rows.map((row) => row.name).filter((name) => !(name in migrations))
  const refused = unknown.filter((name) => !/^\d{4}-expand-/.test(name))
  if (refused.length === 0) return unknown.length > 0
  throw new OperatorError(
    `The database was written by a newer version of shortlink (unknown migration ${refused.join(', ')}): ` +
      `run that version. ${wayBack?.() || 'To go back, restore a backup made before the upgrade.'}`,
  )
}
