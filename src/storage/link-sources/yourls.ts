/**
 * YOURLS: its tables `…_url` and `…_log`, as an SQL dump or as CSV files. The site's own domain is in its configuration,
 * not in its tables. Times are taken as UTC.
 */
import type { ImportedClick, ImportedLink, InvalidRow, LinkSource } from '../../core/imports/imported-link.js'
import { readTime, timeRemarks } from './times.js'

/** A row of a table, from any format. */
type Cell = (column: string) => string | undefined

/** The two tables, wherever they are. */
export interface YourlsTables {
  readonly format: string
  readonly hasLog: boolean
  urls(): AsyncIterable<TableLine>
  log(): AsyncIterable<TableLine>
  progress: LinkSource['progress']
}

export interface TableLine {
  readonly line: number
  readonly get: Cell
  readonly problem?: string | undefined
}

export const yourlsTable = {
  urls: (table: string) => table.endsWith('_url') || table === 'url',
  log: (table: string) => table.endsWith('_log') || table === 'log',
  /** The log that belongs to a table of links. */
  logOf: (urls: string) => urls.replace(/url$/, 'log'),
} as const

/** `note` tells people about clicks that are missing. */
export function yourlsSource(tables: YourlsTables, note: (line: string) => void): LinkSource {
  return {
    format: `YOURLS, ${tables.format}`,
    name: 'yourls',
    detail: tables.hasLog ? 'single clicks' : 'totals',
    clicksByLink: false,
    async *links() {
      for await (const row of tables.urls()) yield linkOf(row)
    },
    async *clicks() {
      if (tables.hasLog) yield* loggedClicks(tables, note)
      else for await (const row of tables.urls()) yield* totalOf(row)
    },
    progress: tables.progress,
    async close() {},
  }
}

async function* loggedClicks(tables: YourlsTables, note: (line: string) => void): AsyncGenerator<ImportedClick> {
  let hasRows = false
  for await (const row of tables.log()) {
    hasRows = true
    yield* clickOf(row)
  }
  if (!hasRows && (await hasTotals(tables))) note(emptyLog)
}

const emptyLog =
  'No clicks are imported: links have clicks, but the table yourls_log has no rows, as if the file was cut off. Import a ' +
  'complete dump to add them. If the log is really empty, import a dump of yourls_url alone, which adds the totals.'

async function hasTotals(tables: YourlsTables): Promise<boolean> {
  for await (const row of tables.urls()) if (Number(row.get('clicks') ?? 0) > 0) return true
  return false
}

function linkOf({ line: row, get, problem }: TableLine): ImportedLink | InvalidRow {
  if (problem !== undefined) return { row, reason: problem, text: get('keyword') ?? '' }
  const createdAt = readTime(get('timestamp'))
  return {
    row,
    domain: undefined,
    backHalf: get('keyword') ?? '',
    longUrl: get('url') ?? '',
    createdAt,
    title: get('title'),
    remarks: timeRemarks('date', get('timestamp'), createdAt),
  }
}

function* clickOf({ get }: TableLine): Generator<ImportedClick> {
  const at = readTime(get('click_time'))
  const backHalf = get('shorturl')
  if (at === undefined || backHalf === undefined) return
  const referrer = get('referrer')
  yield {
    domain: undefined,
    backHalf,
    at,
    ip: get('ip_address'),
    country: get('country_code'),
    userAgent: get('user_agent'),
    referrer: referrer === 'direct' ? undefined : referrer,
  }
}

/** All clicks at the time of the creation, because the table has no other time. */
function* totalOf({ get }: TableLine): Generator<ImportedClick> {
  const at = readTime(get('timestamp'))
  const count = Number(get('clicks') ?? 0)
  if (at !== undefined && count > 0) yield { domain: undefined, backHalf: get('keyword') ?? '', at, count }
}
