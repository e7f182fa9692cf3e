/**
 * Dictionary encoding: texts as integer keys. A dictionary assigns keys while a batch is prepared, writes new ones in
 * the batch's transaction, and caches them only after the commit, so a rolled-back key is never used.
 */
import { hash } from 'node:crypto'
import { type DuckDBConnection, type DuckDBValue, listValue } from '@duckdb/node-api'
import { RecentMap } from '../../lib/recent-map.js'
import { type ColumnType, writeColumns } from './connection.js'

/** Takes part in a batch's transaction. */
export interface Dictionary {
  /** Writes the new keys of the batch. */
  write(connection: DuckDBConnection): Promise<void>
  committed(): void
  rolledBack(): void
  /** After keys were deleted from the table. */
  clear(): void
}

/** Longer texts are cached by their digest: a quarter of a million destinations of 2 kB must not fill the memory. */
const maxCachedLength = 128

function inMemory(text: string): string {
  return text.length > maxCachedLength ? hash('sha256', text, 'base64') : text
}

/** One key per text. Texts that are not cached are looked up in the table, once per batch. */
export class Names implements Dictionary {
  readonly #known: RecentMap<string, number>
  readonly #found = new Map<string, number>()
  /** New keys of the current batch. */
  protected readonly fresh = new Map<string, number>()
  #next: number

  protected constructor(
    protected readonly table: string,
    size: number,
    next: number,
  ) {
    this.#known = new RecentMap(size)
    this.#next = next
  }

  static async open(connection: DuckDBConnection, table: string, size: number): Promise<Names> {
    return new Names(table, size, await nextKey(connection, table))
  }

  /** After this, `key` knows all of these texts. */
  async prepare(connection: DuckDBConnection, texts: Iterable<string>): Promise<void> {
    this.#found.clear()
    const missing = new Set<string>()
    let before: string | undefined
    for (const text of texts) {
      if (text === before || this.#found.has(text)) continue
      before = text
      const key = this.#known.get(inMemory(text))
      if (key === undefined) missing.add(text)
      else this.#found.set(text, key)
    }
    if (missing.size === 0) return
    for (const { text, key } of await this.look(connection, missing)) {
      if (!missing.delete(text)) continue
      this.#found.set(text, key)
      this.#known.set(inMemory(text), key)
    }
    for (const text of missing) {
      const key = this.#next++
      this.fresh.set(text, key)
      this.#found.set(text, key)
    }
  }

  key(text: string): number {
    const key = this.#found.get(text)
    if (key === undefined) throw new Error(`${this.table}: "${text}" was not prepared`)
    return key
  }

  /** The key of a text for a report, if it has one. */
  async find(connection: DuckDBConnection, text: string): Promise<number | undefined> {
    const known = this.#known.get(inMemory(text))
    if (known !== undefined) return known
    const rows = await rowsOf(connection, `SELECT id, value FROM ${this.table} WHERE digest = ${digestOf(text)}`)
    const key = rows.find(([, value]) => value === text)?.[0]
    if (key === undefined) return undefined
    this.#known.set(inMemory(text), Number(key))
    return Number(key)
  }

  /** Loads the keys of these texts from the table; may include texts with the same digest. */
  protected async look(connection: DuckDBConnection, texts: Iterable<string>): Promise<readonly Known[]> {
    const rows = await rowsWithDigests(connection, `SELECT value, id FROM ${this.table}`, texts)
    return rows.map(([text, key]) => ({ text: String(text), key: Number(key) }))
  }

  async write(connection: DuckDBConnection): Promise<void> {
    const texts = [...this.fresh.keys()]
    await writeColumns(connection, this.table, texts.length, nameColumns, [
      [...this.fresh.values()],
      texts.map(digestOf),
      texts,
    ])
  }

  committed(): void {
    for (const [text, key] of this.fresh) this.#known.set(inMemory(text), key)
    this.fresh.clear()
  }

  rolledBack(): void {
    this.fresh.clear()
  }

  clear(): void {
    this.#known.clear()
    this.#found.clear()
  }
}

const nameColumns: readonly ColumnType[] = ['INTEGER', 'BIGINT', 'VARCHAR']

interface Known {
  readonly text: string
  readonly key: number
}

/** The key of an address within one group. */
export interface AddressKey {
  readonly id: number
  readonly group: number
}

/** Addresses, with one key per group they belonged to: the texts are built by `addressIn`. */
export class Addresses extends Names {
  /** For reports, which look up an address without its group. */
  readonly #keys = new RecentMap<string, readonly AddressKey[]>(20_000)
  #commits = 0

  static override async open(connection: DuckDBConnection, table: string, size: number): Promise<Addresses> {
    return new Addresses(table, size, await nextKey(connection, table))
  }

  async keysOf(connection: DuckDBConnection, addresses: readonly string[]): Promise<readonly AddressKey[]> {
    const unknown = new Map<string, AddressKey[]>()
    const keys: AddressKey[] = []
    for (const address of addresses) {
      const known = this.#keys.get(address)
      if (known) keys.push(...known)
      else unknown.set(address, [])
    }
    if (unknown.size === 0) return keys

    const commits = this.#commits
    const rows = await rowsWithDigests(connection, `SELECT value, id, group_key FROM ${this.table}`, unknown.keys())
    for (const [address, id, group] of rows)
      unknown.get(String(address))?.push({ id: Number(id), group: Number(group) })
    for (const [address, found] of unknown) {
      keys.push(...found)
      // Do not cache a miss or a stale result: the address may get its first click, or another group, at any moment.
      if (found.length > 0 && commits === this.#commits) this.#keys.set(address, found)
    }
    return keys
  }

  override committed(): void {
    this.#commits++
    for (const text of this.fresh.keys()) this.#keys.delete(partsOf(text).address)
    super.committed()
  }

  override clear(): void {
    this.#commits++
    this.#keys.clear()
    super.clear()
  }

  protected override async look(connection: DuckDBConnection, texts: Iterable<string>): Promise<readonly Known[]> {
    const addresses = new Set(Array.from(texts, (text) => partsOf(text).address))
    const rows = await rowsWithDigests(connection, `SELECT value, group_key, id FROM ${this.table}`, addresses)
    return rows.map(([address, group, key]) => ({ text: addressIn(Number(group), String(address)), key: Number(key) }))
  }

  override async write(connection: DuckDBConnection): Promise<void> {
    const parts = Array.from(this.fresh.keys(), partsOf)
    await writeColumns(connection, this.table, parts.length, addressColumns, [
      [...this.fresh.values()],
      parts.map(({ address }) => digestOf(address)),
      parts.map(({ address }) => address),
      parts.map(({ group }) => group),
    ])
  }
}

const addressColumns: readonly ColumnType[] = ['INTEGER', 'BIGINT', 'VARCHAR', 'INTEGER']

export function addressIn(group: number, address: string): string {
  return `${group} ${address}`
}

function partsOf(text: string) {
  const space = text.indexOf(' ')
  return { group: Number(text.slice(0, space)), address: text.slice(space + 1) }
}

/** A 64-bit hash, to find a text among millions by comparing numbers; the text itself is compared afterwards. */
export function digestOf(text: string): bigint {
  return hash('sha256', text, 'buffer').readBigInt64LE(0)
}

async function rowsWithDigests(connection: DuckDBConnection, select: string, texts: Iterable<string>) {
  const digests = Array.from(texts, digestOf)
  if (digests.length === 1) return rowsOf(connection, `${select} WHERE digest = ${digests[0]}`)
  return rowsOf(connection, `${select} WHERE digest IN (SELECT unnest($1::BIGINT[]))`, [listValue(digests)])
}

async function rowsOf(connection: DuckDBConnection, sql: string, parameters: DuckDBValue[] = []) {
  return (await connection.runAndReadAll(sql, parameters)).getRows()
}

/**
 * Keys for the texts of a part of clicks. Visitors can invent endless values (a referrer's host), and looking each up
 * in the table would get slower every year: a value that is no longer cached simply gets another key.
 */
export class Descriptions<Entry extends object> implements Dictionary {
  readonly #table: string
  /** The fields of an entry, in the order of the table's columns. */
  readonly #fields: readonly (keyof Entry)[]
  /** Clicks share the objects of their parts: joining the texts took as long as the rest of appending a click. */
  readonly #byEntry = new RecentMap<Entry, number>(20_000)
  readonly #byTexts: RecentMap<string, number>
  /** New keys of the current batch. */
  readonly #fresh: { readonly texts: readonly string[]; readonly key: number }[] = []
  #next: number

  private constructor(table: string, fields: readonly (keyof Entry)[], size: number, next: number) {
    this.#table = table
    this.#fields = fields
    this.#byTexts = new RecentMap(size)
    this.#next = next
  }

  static async open<Entry extends object>(
    connection: DuckDBConnection,
    table: string,
    fields: readonly (keyof Entry)[],
    size: number,
  ): Promise<Descriptions<Entry>> {
    const descriptions = new Descriptions(table, fields, size, await nextKey(connection, table))
    const rows = await rowsOf(connection, `SELECT * FROM ${table} ORDER BY id DESC LIMIT ${size >> 1}`)
    for (const [key, ...texts] of rows) descriptions.#byTexts.set(joined(texts.map(String)), Number(key))
    return descriptions
  }

  key(entry: Entry): number {
    const known = this.#byEntry.get(entry)
    if (known !== undefined) return known
    const texts = this.#fields.map((field) => String(entry[field]))
    const key = this.#byTexts.get(joined(texts)) ?? this.#add(texts)
    this.#byEntry.set(entry, key)
    return key
  }

  #add(texts: readonly string[]): number {
    const key = this.#next++
    this.#fresh.push({ texts, key })
    this.#byTexts.set(joined(texts), key)
    return key
  }

  async write(connection: DuckDBConnection): Promise<void> {
    const columns = this.#fields.map((_, index) => this.#fresh.map(({ texts }) => texts[index] ?? ''))
    const types: readonly ColumnType[] = ['INTEGER', ...columns.map(() => 'VARCHAR' as const)]
    const keys = this.#fresh.map(({ key }) => key)
    await writeColumns(connection, this.#table, keys.length, types, [keys, ...columns])
  }

  committed(): void {
    this.#fresh.length = 0
  }

  rolledBack(): void {
    for (const { texts } of this.#fresh) this.#byTexts.delete(joined(texts))
    this.#byEntry.clear()
    this.#fresh.length = 0
  }

  clear(): void {
    this.#byEntry.clear()
    this.#byTexts.clear()
  }
}

function joined(texts: readonly string[]): string {
  return JSON.stringify(texts.map(inMemory))
}

async function nextKey(connection: DuckDBConnection, table: string): Promise<number> {
  const reader = await connection.runAndReadAll(`SELECT coalesce(max(id), 0) + 1 FROM ${table}`)
  return Number(reader.getRows()[0]?.[0] ?? 1)
}
