/**
 * Moves records and clicks to other engines while the service is stopped, and answers redirects meanwhile. Nothing is
 * deleted from the former stores, so an interrupted move does no harm and is repeated. A composition root like app.ts.
 */
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.js'
import { allowUse, isArriving, leave } from '../core/clicks/move-state.js'
import { dayLength } from '../core/clicks/visitor.js'
import { type MoveClicksProgress, moveClicks } from '../core/copies/move-clicks.js'
import { moveRecords, type TableContents } from '../core/copies/move-records.js'
import { markMoved, requireNotMoved, unmarkMoved } from '../core/copies/moved-records.js'
import { RedirectCache } from '../core/links/redirect-cache.js'
import { MobileAppTable } from '../core/mobile-apps/mobile-app-table.js'
import { systemClock } from '../core/values/time.js'
import { redirectHandler } from '../edges/redirect/handler.js'
import { type Closable, Closing } from '../lib/closing.js'
import { OperatorError } from '../lib/operator-error.js'
import { hostsOf, urlPerHost } from '../lib/url-per-host.js'
import { checksumOf } from '../storage/copies/open-copy.js'
import { readClicks } from '../storage/duckdb/read-clicks.js'
import { openGeography } from '../storage/geography/mmdb.js'
import { FileJournal } from '../storage/journal/journal.js'
import { journalIdIn } from '../storage/journal/segments.js'
import type { Records } from '../storage/records/records.js'
import { postgresSessions } from '../storage/sql/postgres.js'
import { serveRedirectsOnly } from './redirects-only.js'
import { holdClickLog, moveClickLogHere } from './stores/click-log-home.js'
import { openDomains } from './stores/open-domains.js'
import { openRecords } from './stores/open-records.js'
import { newSalt, readSalts, writeSalts } from './threads/daily-salts.js'
import { openAnyClickLog, openClickLog } from './threads/open-click-log.js'

export interface Moved {
  /** Undefined: they stay where they are. */
  readonly records: TableContents | undefined
  readonly clicks: number | undefined
}

export interface MoveListener {
  onRecords(rows: number): void
  onClicks(progress: MoveClicksProgress): void
  /** Something about a redirect that failed. */
  onTrouble(message: string): void
}

/** The stores of `from` and `to` differ in `databaseUrl`, in `clickhouseUrl`, or in both. */
export async function move(from: Config, to: Config, listener: MoveListener): Promise<Moved> {
  const movesRecords = from.databaseUrl !== to.databaseUrl
  const movesClicks = from.clickhouseUrl !== to.clickhouseUrl
  for (const url of new Set([from.databaseUrl, to.databaseUrl])) if (url !== undefined) await requireNobodyElse(url)
  const closing = new Closing()
  try {
    const records = closing.add(await openCurrentRecords(from))
    const lease = await holdClickLog(from, records)
    if (lease) closing.add(lease)
    const clickLog = closing.add(await openClickLog(from))
    const delivered = await clickLog.cursor(journalIdIn(join(from.dataDir, 'journal')))
    closing.add(await serveRedirects(from, delivered, listener))

    const newRecords = movesRecords ? closing.add(await openNewRecords(to)) : records
    const newClickLog = movesClicks ? closing.add(await openAnyClickLog(to)) : clickLog
    const file = join(from.dataDir, 'move.parquet')
    closing.add({ close: () => rm(file, { force: true }) })
    const clicks = movesClicks
      ? await moveClicks({ from: clickLog, to: newClickLog, file, checksumOf: sha256Of, readClicks }, listener.onClicks)
      : undefined
    const moved = movesRecords ? await moveRecords(records.tables, newRecords.tables, listener.onRecords) : undefined

    // From here on the new stores are complete; the former ones are marked last.
    if (movesRecords) await moveSalts(from, records, to, newRecords)
    if (movesRecords) await unmarkMoved(newRecords)
    if (movesClicks) await allowUse(newClickLog)
    if (to.databaseUrl !== undefined && to.clickhouseUrl === undefined) await moveClickLogHere(to, newRecords)
    if (movesRecords) await markMoved(records, placeOf(to))
    if (movesClicks) await leave(clickLog)
    return { records: moved, clicks }
  } finally {
    await closing.close()
  }
}

/** Makes stores usable again that a move left. What the new ones got since then is not here. */
export async function cancelMove(config: Config): Promise<void> {
  const closing = new Closing()
  try {
    const records = closing.add(await openRecords(config))
    const clickLog = closing.add(await openAnyClickLog(config))
    if (await isArriving(clickLog)) {
      throw new OperatorError('This click log has only a part of the clicks: run "bin/shortlink move" again.')
    }
    await unmarkMoved(records)
    await allowUse(clickLog)
  } finally {
    await closing.close()
  }
}

async function openCurrentRecords(config: Config): Promise<Records> {
  const records = await openRecords(config, { mapped: false })
  try {
    const pending = await records.pendingMigrations()
    if (pending.length > 0) {
      throw new OperatorError('The database is of an earlier version. Run "bin/shortlink migrate" first.')
    }
    await requireNotMoved(records)
    return records
  } catch (error) {
    await records.close()
    throw error
  }
}

async function openNewRecords(config: Config): Promise<Records> {
  const records = await openRecords(config, { mapped: false, createsKey: true })
  await records.migrate()
  return records
}

/** Writes of another process would be missing in the copy. */
async function requireNobodyElse(databaseUrl: string): Promise<void> {
  const sessions = await postgresSessions(databaseUrl)
  if (sessions === 0) return
  throw new OperatorError(
    `Another process of shortlink uses the database at ${hostsOf(databaseUrl)} (${sessions} connections). Stop all of them first.`,
  )
}

/** Every link works, from its own connection to the records; clicks wait in the journal for the next start. */
async function serveRedirects(config: Config, delivered: number, listener: MoveListener): Promise<Closable> {
  const closing = new Closing()
  const clock = systemClock
  try {
    const records = closing.add(await openRecords(config))
    const onFailure = (error: unknown) => listener.onTrouble(String(error))
    const { domains } = openDomains(config, { ...records, clock, onFailure })
    await domains.refresh()
    const journal = closing.add(
      new FileJournal(join(config.dataDir, 'journal'), { durability: config.durability, delivered }),
    )
    const redirects = redirectHandler({
      domains,
      journal,
      clock,
      config,
      redirectCache: new RedirectCache({ ...records, clock }, config.redirectCacheSize),
      mobileAppTable: new MobileAppTable({ ...records, clock }),
      geography: openGeography(config.geography),
      log: { error: (_, message) => listener.onTrouble(message) },
    })
    const state = () => ({ trouble: `move: ${description}`, servers: {} })
    closing.add(await serveRedirectsOnly(config, { redirects, journal, description, retryAfter: 10, state }))
    return closing
  } catch (error) {
    await closing.close()
    throw error
  }
}

const description = 'The service is being moved to another database. Links work; try again in some minutes.'

/** Today's visitors keep their numbers: with SQLite the salts are in a file, with PostgreSQL in the database. */
async function moveSalts(from: Config, records: Records, to: Config, newRecords: Records): Promise<void> {
  const today = Math.floor(systemClock.now() / dayLength)
  const fileIn = ({ dataDir }: Config) => join(dataDir, 'visitor-salts.json')
  const drawn = new Map([[today, newSalt()]])
  const salts =
    from.databaseUrl === undefined ? readSalts(fileIn(from)) : await records.clickStore.storeSalts(drawn, today - 1)
  if (to.databaseUrl === undefined) writeSalts(fileIn(to), salts)
  else if (salts.size > 0) await newRecords.clickStore.storeSalts(salts, today - 1)
}

/** For people, without the password. */
function placeOf({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl === undefined) return `SQLite in ${dataDir}`
  const [first = ''] = urlPerHost(databaseUrl)
  return `PostgreSQL at ${hostsOf(databaseUrl)}${new URL(first).pathname}`
}

async function sha256Of(file: string): Promise<string> {
  return (await checksumOf(createReadStream(file))).sha256
}
