/**
 * Opens the links of another product, whatever it is: recognises the format by the beginning of the file, or the product
 * by its URL. The only file here that knows all of them.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open as openFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'libsql'
import type { LinkSource } from '../../core/imports/imported-link.js'
import { OperatorError } from '../../lib/operator-error.js'
import { ApiClient } from './api-client.js'
import { bitlyMonthlyLimit, bitlySource } from './bitly.js'
import { openTableFile, productOf, type TableFile, tableSource, yourlsTablesIn } from './csv.js'
import { dubSource } from './dub.js'
import { kuttSource } from './kutt.js'
import { kuttFile } from './kutt-file.js'
import { shlinkSource } from './shlink.js'
import { type DumpPages, dumpRows } from './sql-dump.js'
import { type TableLine, yourlsSource, yourlsTable } from './yourls.js'

export const products = ['csv', 'yourls', 'kutt', 'shlink', 'dub', 'bitly'] as const
export type Product = (typeof products)[number]

export interface SourceOptions {
  /** Undefined: find out. */
  readonly from: Product | undefined
  /** The key or token of an API. */
  readonly token: string | undefined
  readonly now: number
  /** Tells people what a source waits for, or leaves out. */
  readonly note: (line: string) => void
}

export async function openLinkSource(place: string, options: SourceOptions): Promise<LinkSource> {
  if (/^https?:\/\//i.test(place)) return openApi(new URL(place), options)
  const found = await stat(place).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'There is no such file' : error.message
    throw new OperatorError(`Cannot import ${place}: ${reason}.`)
  })
  if (found.isDirectory()) return openFolder(place, options)
  // Pipes and devices can be read once, and only when somebody writes to them.
  if (!found.isFile())
    throw new OperatorError(`Cannot import ${place}: it is not a file. Save its content to a file first.`)
  return { ...(await openSingleFile(place, options)), copy: await fingerprintOf(place) }
}

/** Of the size, the beginning and the end: a newer dump of a database is longer. */
async function fingerprintOf(path: string): Promise<string> {
  const file = await openFile(path)
  try {
    const { size } = await file.stat()
    const hash = createHash('sha256').update(String(size))
    for (const at of [0, Math.max(0, size - fingerprintBytes)]) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(fingerprintBytes), 0, fingerprintBytes, at)
      hash.update(buffer.subarray(0, bytesRead))
    }
    return hash.digest('hex')
  } finally {
    await file.close()
  }
}

const fingerprintBytes = 64 * 1024

function openApi(url: URL, { from = productAt(url), token, now, note }: SourceOptions): LinkSource {
  const api = (headers: (token: string) => Readonly<Record<string, string>>, path: RegExp, lastingLimit?: RegExp) => {
    if (token === undefined || token === '') throw new OperatorError(needsToken(url), 2)
    return new ApiClient({
      // The paths below it may have been named too.
      url: `${url.origin}${url.pathname.replace(/\/+$/, '').replace(path, '')}`,
      headers: headers(token),
      onWait: (seconds, reason) => note(`Waiting ${seconds} seconds, because of the API: ${reason}.`),
      lastingLimit,
    })
  }
  const bearer = (given: string) => ({ authorization: `Bearer ${given}` })
  if (from === 'shlink')
    return shlinkSource(
      api((given) => ({ 'x-api-key': given }), /\/rest(?:\/v\d+)?$/),
      url,
      now,
    )
  if (from === 'dub') return dubSource(api(bearer, /\/links$/), url, { now, note })
  if (from === 'bitly') return bitlySource(api(bearer, /\/v4$/, bitlyMonthlyLimit), url, note)
  throw new OperatorError(`Add --from shlink, dub or bitly: which of them answers at ${url.origin} is not known.`, 2)
}

function needsToken({ host }: URL): string {
  return `Reading from ${host} needs a key or token: put it in a file, and add --token-file FILE.`
}

function productAt({ hostname }: URL): Product | undefined {
  if (hostname === 'api.dub.co') return 'dub'
  return hostname === 'api-ssl.bitly.com' ? 'bitly' : undefined
}

/** A folder with the CSV files of YOURLS's tables. */
async function openFolder(folder: string, { note }: SourceOptions): Promise<LinkSource> {
  if (existsSync(join(folder, 'manifest.json')))
    throw new OperatorError(
      `${folder} is an export of shortlink. Into a new, empty installation: "shortlink import ${folder}".`,
    )
  const names = (await readdir(folder)).filter((name) => /\.csv$/i.test(name)).sort()
  const files: TableFile[] = []
  for (const name of names) files.push(await openTableFile(join(folder, name)))
  const tables = files.filter(({ columns }) => productOf(columns) === 'yourls')
  if (tables.length > 0) return yourlsSource(yourlsTablesIn(tables), note)
  throw new OperatorError(
    `${folder} is a folder without CSV files of YOURLS's tables (yourls_url.csv and yourls_log.csv). Name a file.`,
  )
}

async function openSingleFile(path: string, { from, note }: SourceOptions): Promise<LinkSource> {
  const start = await startOf(path)
  if (start.startsWith('SQLite format 3')) {
    requireProduct(path, from, 'kutt', 'an SQLite file, which Kutt has')
    return kuttSource(kuttFile(new Database(path, { readonly: true })))
  }
  if (looksLikeSql(start)) return openDump(path, from, note)
  if (looksLikeSql(start.replaceAll('\0', '').slice(2))) {
    throw new OperatorError(
      `${path} is an SQL dump in UTF-16, which PowerShell writes. Let the program write the file itself: ` +
        'mysqldump --result-file=FILE, or pg_dump --file=FILE.',
    )
  }
  const file = await openTableFile(path)
  const recognised = productOf(file.columns)
  const product = from ?? recognised
  if (product === 'yourls') {
    if (recognised === 'yourls') return yourlsSource(yourlsTablesIn([file]), note)
    throw new OperatorError(`${path} does not have the columns of YOURLS's tables (keyword, url, timestamp, clicks).`)
  }
  if (product === 'kutt') throw new OperatorError(`${path} is a table. From Kutt, import its SQLite file or a dump.`)
  return tableSource(file, product)
}

function requireProduct(path: string, from: Product | undefined, product: Product, what: string): void {
  if (from === undefined || from === product) return
  throw new OperatorError(`${path} is ${what}; it cannot be read with --from ${from}.`)
}

async function startOf(path: string): Promise<string> {
  return partOf(path, 64 * 1024, 0)
}

async function partOf(path: string, bytes: number, from: number): Promise<string> {
  const file = await openFile(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, from)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await file.close()
  }
}

function looksLikeSql(start: string): boolean {
  return (
    /^(?:--|\/\*|#|\s*(?:CREATE|INSERT|SET|DROP|BEGIN|START|COPY|PRAGMA|LOCK)\b)/im.test(start.slice(0, 2000)) &&
    /\b(?:CREATE TABLE|INSERT INTO|COPY \S+ \(|SET )/i.test(start)
  )
}

async function openDump(path: string, from: Product | undefined, note: SourceOptions['note']): Promise<LinkSource> {
  const { size } = await stat(path)
  let read = 0
  const created = new Set<string>()
  const rows = (wanted: (table: string) => boolean) =>
    dumpRows(path, {
      wanted,
      onTable: (table) => created.add(table),
      onBytes: (bytes) => {
        read = bytes
      },
    })
  async function* lines(wanted: (table: string) => boolean): AsyncGenerator<TableLine> {
    for await (const page of rows(wanted)) yield* page
  }
  const progress = () => ({ done: read, of: size })
  const tables = await tablesIn(rows)
  if (from !== 'yourls' && tables.has('links')) {
    requireProduct(path, from, 'kutt', 'a dump of Kutt')
    const of = (name: string) => () => lines((table) => table === name)
    const close = async () => {}
    return kuttSource({
      format: 'SQL dump',
      domains: of('domains'),
      links: of('links'),
      visits: of('visits'),
      progress,
      close,
    })
  }
  const names = [...tables]
  if (names.some(yourlsTable.urls) || names.some(yourlsTable.log)) {
    requireProduct(path, from, 'yourls', 'a dump of YOURLS')
    const { urls, log, logOf } = yourlsTable
    // Also without rows: its clicks are missing then, and totals would count them twice later.
    const hasLog = names.some(log) || names.filter(urls).some((name) => created.has(logOf(name)))
    if (!hasLog) await requireEnd(path)
    const tables = { format: 'SQL dump', hasLog, urls: () => lines(urls), log: () => lines(log), progress }
    return yourlsSource(tables, note)
  }
  const found = names.length === 0 ? 'no rows' : `the tables ${names.slice(0, 20).join(', ')}`
  throw new OperatorError(
    `${path} is an SQL dump with ${found}, but neither YOURLS's (yourls_url, yourls_log) nor Kutt's (links, visits).`,
  )
}

/** The log may be in the missing part: its clicks would count a second time after the totals. */
async function requireEnd(path: string): Promise<void> {
  if (!/^-- (?:MySQL|MariaDB) dump/m.test(await startOf(path)) || (await endOf(path)).includes('-- Dump completed'))
    return
  throw new OperatorError(`${path} is incomplete: its last line is not "-- Dump completed". Dump the tables again.`)
}

async function endOf(path: string): Promise<string> {
  const { size } = await stat(path)
  return partOf(path, 4096, Math.max(0, size - 4096))
}

/** The tables that have rows, read until it is clear which product they belong to. */
async function tablesIn(rows: (wanted: (table: string) => boolean) => DumpPages): Promise<Set<string>> {
  const tables = new Set<string>()
  const isEnough = (table: string) => {
    tables.add(table)
    const names = [...tables]
    return tables.has('links') || (names.some(yourlsTable.urls) && names.some(yourlsTable.log))
  }
  for await (const page of rows(isEnough)) if (page.length > 0) break
  return tables
}
