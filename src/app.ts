/**
 * The composition root: config -> parts. Read this to learn what the running system is made of; it is the only file
 * that picks implementations (the click thread has its own, worker/click-worker.ts).
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from './config/config.js'
import type { AdministrationParts } from './core/administration/operations.js'
import { AppTable } from './core/apps/app-table.js'
import type { MobileAppStore } from './core/apps/mobile-app-store.js'
import type { AccountStore } from './core/auth/account-store.js'
import type { ApplicationStore } from './core/auth/application-store.js'
import { TokenCheck } from './core/auth/tokens.js'
import type { UserStore } from './core/auth/user-store.js'
import type { CampaignStore } from './core/campaigns/campaign-store.js'
import { Imports } from './core/clicks/imports.js'
import type { Geography } from './core/clicks/locate.js'
import { type Clock, systemClock } from './core/clock.js'
import { DnsCheck } from './core/domains/dns-check.js'
import type { DomainStore } from './core/domains/domain-store.js'
import { Domains, type DomainsParts } from './core/domains/domains.js'
import type { GroupStore } from './core/groups/group-store.js'
import type { MemberStore } from './core/groups/member-store.js'
import { randomHash } from './core/links/address.js'
import type { KeywordStore } from './core/links/keyword-store.js'
import type { LinkListStore } from './core/links/link-list-store.js'
import type { LinkStore } from './core/links/link-store.js'
import { Targets } from './core/links/targets.js'
import type { MetricsLog } from './core/metrics/query.js'
import { type Pages, Titles } from './core/titles/titles.js'
import type { UsageStore } from './core/usage/usage-store.js'
import { Closing } from './lib/closing.js'
import { OperatorError } from './lib/operator-error.js'
import { nodeDns } from './storage/dns/node-dns.js'
import { openGeography } from './storage/geography/mmdb.js'
import { SqliteJournal } from './storage/journal/journal.js'
import { guardedPages } from './storage/pages/guarded-pages.js'
import { openPostgres } from './storage/sql/postgres.js'
import type { Records } from './storage/sql/records.js'
import { openSqlite } from './storage/sql/sqlite.js'
import { type ClickThread, startClickThread } from './worker/click-thread.js'

export interface App {
  readonly config: Config
  readonly log: Logger
  readonly clock: Clock
  readonly newHash: () => string
  readonly records: Records
  readonly accounts: AccountStore
  readonly users: UserStore
  readonly groups: GroupStore
  readonly members: MemberStore
  readonly applications: ApplicationStore
  readonly campaigns: CampaignStore
  readonly links: LinkStore
  readonly keywords: KeywordStore
  readonly linkLists: LinkListStore
  readonly domainStore: DomainStore
  readonly mobileApps: MobileAppStore
  readonly usage: UsageStore
  readonly domains: Domains
  readonly dns: DnsCheck
  readonly tokens: TokenCheck
  readonly targets: Targets
  readonly journal: SqliteJournal
  readonly pipeline: ClickThread
  readonly metrics: MetricsLog
  readonly imports: Imports
  readonly appTable: AppTable
  readonly geography: Geography
  readonly pages: Pages
  readonly titles: Titles
  close(): Promise<void>
}

/** Parts that tests replace. */
export type Overrides = Partial<Pick<App, 'clock' | 'newHash' | 'pages'>>

export async function createApp(config: Config, log: Logger, overrides: Overrides = {}): Promise<App> {
  const closing = new Closing() // closes in reverse order: the pipeline drains before its stores go away
  try {
    const pages = guardedPages({ home: config.baseUrl })
    const given = { config, log, clock: systemClock, newHash: randomHash, pages, ...overrides }
    const records = closing.add(await openRecords(config))
    await requireSchema(config, records, log)
    const { accounts, links, keywords, linkLists, domainStore } = records
    const { users, groups, members, applications, campaigns, usage } = records
    const onFailure = (err: unknown) => log.error({ err }, 'the short domains could not be read again')
    const { domains, dns } = openDomains(config, { domainStore, clock: given.clock, onFailure })
    await closing.add(domains).start()

    const pipeline = closing.add(await startClickThread(config, log.child({ room: 'pipeline' })))
    const journal = closing.add(openJournal(config, log))
    const tokens = closing.add(
      new TokenCheck({
        accounts,
        clock: given.clock,
        onFailure: (err) => log.error({ err }, 'times of last use could not be written'),
      }),
    )
    const targets = new Targets({ links, clock: given.clock, elsewhere: records.elsewhere }, config.targets)

    const atRedirect = openAtRedirect(config, { ...records, clock: given.clock })
    const titles = closing.add(openTitles(config, log, { ...records, pages: given.pages }))

    const management = { users, groups, members, applications, campaigns, usage }
    const imports = new Imports((file, tell) => pipeline.importClicks(file, config, tell))
    const parts = {
      records,
      imports,
      ...management,
      accounts,
      links,
      keywords,
      linkLists,
      domainStore,
      domains,
      dns,
      ...atRedirect,
      titles,
      tokens,
      targets,
      journal,
      pipeline,
      metrics: pipeline,
    }
    return { ...given, ...parts, close: () => closing.close() }
  } catch (error) {
    await closing.close()
    throw error
  }
}

/** The records alone: all that administrative commands need while the service is stopped. */
export async function openRecords(config: RecordsPlace): Promise<Records> {
  const options = { defaultDomain: config.domains[0] }
  if (config.databaseUrl !== undefined) return openPostgres(config.databaseUrl, options)
  makeDataDir(config.dataDir)
  return openSqlite(join(config.dataDir, 'records.sqlite'), options)
}

/** Where the records are; the URL is a secret. */
export type RecordsPlace = Pick<Config, 'databaseUrl' | 'dataDir' | 'domains'>

/** What administrative commands work with while the service is stopped. */
export function administrationParts(config: DomainConfig, records: Records): AdministrationParts {
  const { domainStore } = records
  const onFailure = (error: unknown) => {
    throw error
  }
  return { ...records, clock: systemClock, ...openDomains(config, { domainStore, onFailure, clock: systemClock }) }
}

type DomainConfig = Pick<Config, 'domains' | 'baseUrl' | 'dnsServers' | 'dnsTargets'>

function openDomains(
  config: DomainConfig,
  parts: DomainsParts & { clock: Clock },
): { domains: Domains; dns: DnsCheck } {
  const { baseUrl, domains: builtIn, dnsServers: servers, dnsTargets } = config
  const dnsLookup = nodeDns({ servers })
  return {
    domains: new Domains(parts, { builtIn, baseUrl }),
    dns: new DnsCheck({ dnsLookup, clock: parts.clock }, dnsTargets),
  }
}

/** What links with rules need. The files with geography are only checked here, and read when a rule asks for a place. */
function openAtRedirect(config: Config, parts: Pick<App, 'mobileApps' | 'clock'>) {
  return { mobileApps: parts.mobileApps, appTable: new AppTable(parts), geography: openGeography(config.geography) }
}

function openTitles(config: Config, log: Logger, parts: Pick<Records, 'titleStore'> & Pick<App, 'pages'>): Titles {
  const onFailure = (err: unknown) => log.error({ err }, 'a page title could not be written')
  return new Titles({ ...parts, onFailure }, { enabled: config.titles === 'on' })
}

/** The embedded database migrates itself; a shared one is migrated by its operator, at a moment of their choice. */
async function requireSchema(config: Config, records: Records, log: Logger): Promise<void> {
  const pending = await records.pendingMigrations()
  if (pending.length === 0) return
  if (config.databaseUrl !== undefined) {
    throw new OperatorError(
      `The database is ${pending.length} migration(s) behind this version. Run "bin/shortlink migrate" first.`,
    )
  }
  log.info({ migrations: await records.migrate() }, 'database migrated')
}

function openJournal(config: Config, log: Logger): SqliteJournal {
  return new SqliteJournal(join(config.dataDir, 'journal'), {
    durability: config.durability,
    onChange: (failure) =>
      failure === undefined
        ? log.warn('the journal can be written again')
        : log.error({ failure }, 'the journal cannot be written: redirects go on, their clicks are lost'),
  })
}

function makeDataDir(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new OperatorError(
      `The data directory ${directory} cannot be created (${(error as Error).message}). Choose another with --data-dir.`,
    )
  }
}
