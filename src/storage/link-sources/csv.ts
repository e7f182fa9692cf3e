/**
 * Links in a table: a file of the user's own, or what Shlink, Dub, Bitly and YOURLS export. The column names tell which;
 * each field of a link is found under all the names that these products and people use.
 */
import { createReadStream, statSync } from 'node:fs'
import type {
  ImportedClick,
  ImportedLink,
  InvalidRow,
  LinkSource,
  SourceAddress,
} from '../../core/imports/imported-link.js'
import { quoted } from '../../core/values/refusal.js'
import { columnKey, type Table, type TableRow } from '../../core/values/table.js'
import { OperatorError } from '../../lib/operator-error.js'
import { csvTable } from '../tables/csv-table.js'
import { openTable } from '../tables/open-table.js'
import { readShortUrl } from './short-url.js'
import { type DayOrder, dayOrderOf, isoDate, readTime, timeRemarks } from './times.js'
import type { TableLine, YourlsTables } from './yourls.js'

export type CsvProduct = 'csv' | 'shlink' | 'dub' | 'bitly'

/** A file whose rows can be read several times. */
export interface TableFile {
  /** As `columnKey` writes them. */
  readonly columns: ReadonlySet<string>
  readonly format: string
  rows(): AsyncIterable<TableRow>
  progress: LinkSource['progress']
}

export async function openTableFile(path: string): Promise<TableFile> {
  let read = 0
  const size = statSync(path).size
  const isSheet = await startsLikeZip(path)
  const open = (): Promise<Table> => {
    if (isSheet) return openTable(path)
    return csvTable(() => {
      read = 0
      return counted(path, (bytes) => {
        read += bytes
      })
    })
  }
  const header = await open()
  await header.close()
  return {
    columns: new Set(header.columns.map(columnKey)),
    format: header.format,
    async *rows() {
      yield* await open()
    },
    progress: () => ({ done: read, of: isSheet ? undefined : size }),
  }
}

async function startsLikeZip(path: string): Promise<boolean> {
  for await (const chunk of createReadStream(path, { end: 3 }))
    return (chunk as Buffer).toString('latin1') === 'PK\x03\x04'
  return false
}

async function* counted(path: string, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    onBytes((chunk as Buffer).length)
    yield chunk as Buffer
  }
}

/** All names of a field; the first one that a table has counts. */
const names = {
  shortUrl: ['short_url', 'shorturl', 'short_link', 'shortlink', 'bitlink', 'link', 'short'],
  backHalf: ['back_half', 'keyword', 'slug', 'short_code', 'shortcode', 'alias', 'key', 'code', 'hash', 'address'],
  domain: ['domain', 'host', 'short_domain'],
  customLink: [
    'custom_link',
    'custom_links',
    'custom_bitlink',
    'custom_bitlinks',
    'custom_shortlinks',
    'custom_back_half',
  ],
  longUrl: ['long_url', 'longurl', 'destination_url', 'destination', 'target', 'target_url', 'original_url', 'url'],
  title: ['title', 'name'],
  tags: ['tags', 'tag', 'labels'],
  createdAt: [
    ...['created_at', 'createdat', 'created', 'date_created', 'datecreated', 'created_on', 'creation_date'],
    ...['created_date', 'created_utc', 'created_at_utc', 'timestamp', 'date'],
  ],
  expiresAt: [
    'expiration_at',
    'expires_at',
    'expiresat',
    'expires',
    'expiration',
    'expiry',
    'valid_until',
    'expire_in',
  ],
  archived: ['archived', 'is_archived'],
  note: ['note', 'notes', 'comments', 'comment', 'description'],
  clicks: [
    ...['clicks', 'total_clicks', 'click_count', 'visits', 'visit_count', 'total_visits', 'engagements'],
    ...['total_engagements', 'link_clicks', 'clicks_all_time'],
  ],
} as const

type Field = keyof typeof names

const labels: Readonly<Record<CsvProduct, string>> = {
  csv: 'a table of links',
  shlink: 'Shlink, CSV of its web client',
  dub: 'Dub, CSV of its dashboard',
  bitly: 'Bitly, CSV export',
}

export function productOf(columns: ReadonlySet<string>): CsvProduct | 'yourls' {
  const has = (...wanted: readonly string[]) => wanted.every((name) => columns.has(name))
  if (has('keyword', 'url', 'timestamp', 'clicks') || has('click_time', 'shorturl')) return 'yourls'
  if (has('shortcode', 'shorturl', 'longurl', 'createdat')) return 'shlink'
  if (has('short_link', 'destination_url')) return 'dub'
  if (columns.has('bitlink') || columns.has('custom_bitlinks') || has('link', 'custom_link', 'destination_url'))
    return 'bitly'
  return 'csv'
}

export async function tableSource(file: TableFile, product: CsvProduct): Promise<LinkSource> {
  const find = (field: Field) => names[field].find((name) => file.columns.has(name))
  if (find('longUrl') === undefined || (find('shortUrl') ?? find('backHalf') ?? find('customLink')) === undefined) {
    const columns = [...file.columns].slice(0, 20).join(', ')
    throw new OperatorError(
      'The table needs a column with the short link or back-half (link, short_url or keyword) and one with the ' +
        `destination (long_url, url or destination). Its columns are: ${columns}.`,
    )
  }
  const columns = Object.fromEntries(Object.keys(names).map((field) => [field, find(field as Field)]))
  const text = (row: TableRow, field: Field): string => {
    const column = columns[field]
    return column === undefined ? '' : row.get(column)
  }
  const orders = new Map<Field, DayOrder | undefined>()
  for (const field of ['createdAt', 'expiresAt'] as const) {
    const column = columns[field]
    if (column === undefined) continue
    const written = cellsOf(file, (row) => text(row, field))
    orders.set(field, await dayOrderOf(column, written))
  }
  const cell: ReadCell = (row, field) => isoDate(text(row, field), orders.get(field))
  return {
    format: `${labels[product]} (${file.format})`,
    name: product,
    detail: 'totals',
    clicksByLink: false,
    async *links() {
      for await (const row of file.rows()) yield* linksOf(row, cell)
    },
    async *clicks() {
      if (columns.clicks === undefined) return
      for await (const row of file.rows()) yield* totalOf(row, cell)
    },
    progress: file.progress,
    async close() {},
  }
}

async function* cellsOf(file: TableFile, read: (row: TableRow) => string): AsyncGenerator<string> {
  for await (const row of file.rows()) if (row.problem === undefined) yield read(row)
}

type ReadCell = (row: TableRow, field: Field) => string

/** A custom link on another domain is a link of its own. */
function* linksOf(row: TableRow, cell: ReadCell): Generator<ImportedLink | InvalidRow> {
  if (row.problem !== undefined) {
    yield { row: row.line, reason: row.problem, text: row.values.join(',').slice(0, 200) }
    return
  }
  const { address, custom } = addressesOf(row, cell)
  if (!address) {
    yield { row: row.line, reason: 'the row has no short link and no back-half', text: cell(row, 'longUrl') }
    return
  }
  const [createdAt, expiresAt] = [createdIn(row, cell), readTime(cell(row, 'expiresAt'))]
  const details = {
    row: row.line,
    longUrl: cell(row, 'longUrl'),
    createdAt,
    title: cell(row, 'title'),
    tags: cell(row, 'tags').split(/[|,;]/),
    archived: /^(?:true|yes|on|1|t|y|archived)$/i.test(cell(row, 'archived')),
    expiresAt,
    note: cell(row, 'note'),
    remarks: [
      ...timeRemarks('date', cell(row, 'createdAt'), createdAt),
      ...timeRemarks('expiry', cell(row, 'expiresAt'), expiresAt),
      ...(clicksIn(row, cell) === undefined ? [`its clicks ${quoted(cell(row, 'clicks'))} cannot be read`] : []),
    ],
  }
  yield { ...details, ...address, customBackHalves: custom.filter(({ domain }) => domain === address.domain) }
  for (const other of custom) if (other.domain !== address.domain) yield { ...details, ...other }
}

function addressesOf(
  row: TableRow,
  cell: ReadCell,
): { readonly address: SourceAddress | undefined; readonly custom: readonly SourceAddress[] } {
  const domain = cell(row, 'domain').toLowerCase() || undefined
  // A back-half may have several segments: only a host name begins a short URL.
  const written = (text: string): SourceAddress | undefined =>
    (/^[a-z]+:\/\//i.test(text) || (domain === undefined && /^[^/]+[.:][^/]+\//.test(text))
      ? readShortUrl(text)
      : undefined) ?? (text === '' ? undefined : { domain, backHalf: text.replace(/^\/+/, '') })
  const custom = cell(row, 'customLink')
    .split(/[|,;\s]+/)
    .flatMap((text) => written(text) ?? [])
  const backHalf = cell(row, 'backHalf')
  const address = readShortUrl(cell(row, 'shortUrl')) ?? written(backHalf) ?? written(cell(row, 'shortUrl'))
  if (address) return { address, custom }
  const [first, ...others] = custom
  return { address: first, custom: others }
}

function createdIn(row: TableRow, cell: ReadCell): number | undefined {
  return readTime(cell(row, 'createdAt'))
}

/** All clicks at the time of the creation, because the table has no other time. */
function* totalOf(row: TableRow, cell: ReadCell): Generator<ImportedClick> {
  const count = clicksIn(row, cell) ?? 0
  const { address } = row.problem === undefined ? addressesOf(row, cell) : { address: undefined }
  if (!address || count === 0) return
  yield { ...address, at: createdIn(row, cell) ?? noDate, count }
}

/** Undefined if the cell has something else. */
function clicksIn(row: TableRow, cell: ReadCell): number | undefined {
  const count = Number(cell(row, 'clicks').replace(/[ ,.'\u00a0\u202f](?=\d{3}\b)/g, ''))
  return Number.isInteger(count) && count >= 0 ? count : undefined
}

/** For links without a date: before the first short links, so that these clicks stay apart from dated ones. */
const noDate = Date.UTC(2000, 0)

/** The tables of YOURLS as CSV: both, or one of them. */
export function yourlsTablesIn(files: readonly TableFile[]): YourlsTables {
  const urls = files.find(({ columns }) => columns.has('keyword') && columns.has('url'))
  const log = files.find(({ columns }) => columns.has('click_time') && columns.has('shorturl'))
  let current = urls ?? log
  async function* lines(file: TableFile | undefined): AsyncGenerator<TableLine> {
    current = file
    if (file) {
      for await (const row of file.rows()) {
        yield { line: row.line, problem: row.problem, get: (column) => nullable(row.get(column)) }
      }
    }
  }
  return {
    format: urls && log ? 'two CSV files' : `CSV file of its ${urls ? 'links' : 'log'}`,
    hasLog: log !== undefined,
    urls: () => lines(urls),
    log: () => lines(log),
    progress: () => current?.progress() ?? { done: 0, of: undefined },
  }
}

/** MySQL and phpMyAdmin write NULL like this. */
function nullable(value: string): string | undefined {
  return value === '\\N' || value === 'NULL' ? undefined : value
}
