/**
 * The composition root: config -> parts. Read this to learn what the running system is made of; it is the only file
 * that picks implementations (the click thread has its own, worker/click-worker.ts).
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from './config/config.js'
import type { AccountStore } from './core/auth/account-store.js'
import { TokenCheck } from './core/auth/tokens.js'
import { type Clock, systemClock } from './core/clock.js'
import type { Domains } from './core/domains/domains.js'
import { randomHash } from './core/links/address.js'
import type { LinkStore } from './core/links/link-store.js'
import { Targets } from './core/links/targets.js'
import type { MetricsLog } from './core/metrics/query.js'
import { Closing } from './lib/closing.js'
import { OperatorError } from './lib/operator-error.js'
import { SqliteJournal } from './storage/journal/journal.js'
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
  readonly links: LinkStore
  readonly domains: Domains
  readonly tokens: TokenCheck
  readonly targets: Targets
  readonly journal: SqliteJournal
  readonly pipeline: ClickThread
  readonly metrics: MetricsLog
  close(): Promise<void>
}

/** Parts that tests replace. */
export type Overrides = Partial<Pick<App, 'clock' | 'newHash'>>

export async function createApp(config: Config, log: Logger, overrides: Overrides = {}): Promise<App> {
  const closing = new Closing() // closes in reverse order: the pipeline drains before its stores go away
  try {
    const given = { config, log, clock: systemClock, newHash: randomHash, ...overrides }
    const records = closing.add(await openRecords(config))
    await requireSchema(config, records, log)
    const { accounts, links } = records
    const domains = { builtIn: config.domains }

    const pipeline = closing.add(await startClickThread(config, log.child({ room: 'pipeline' })))
    const journal = closing.add(openJournal(config, log))
    const tokens = closing.add(new TokenCheck({ accounts, clock: given.clock, onFailure: (err) => log.error({ err }, 'times of last use could not be written') }))
    const targets = new Targets({ links, clock: given.clock }, config.targets)

    const parts = { records, accounts, links, domains, tokens, targets, journal, pipeline, metrics: pipeline }
    return { ...given, ...parts, close: () => closing.close() }
  } catch (error) {
    await closing.close()
    throw error
  }
}

/** The records alone: all that administrative commands need while the service is stopped. */
export async function openRecords(config: Config): Promise<Records> {
  const options = { defaultDomain: config.domains[0] }
  if (config.databaseUrl !== undefined) return openPostgres(config.databaseUrl, options)
  makeDataDir(config.dataDir)
  return openSqlite(join(config.dataDir, 'records.sqlite'), options)
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
