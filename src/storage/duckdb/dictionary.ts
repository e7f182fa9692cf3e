/**
 * Texts as integers. A dictionary hands out keys while a batch is prepared, writes the new ones in the batch's
 * transaction, and remembers them only when told that it was committed: a key that was rolled back is never used again.
 */
import { hash } from 'node:crypto'
import { type DuckDBConnection, type DuckDBValue, listValue } from '@duckdb/node-api'
import { RecentMap } from '../../lib/recent-map.js'
import { type ColumnType, writeColumns } from './columns.js'

/** Longer texts are remembered by their digest: a quarter of a million destinations of 2 kB must not fill the memory. */
const longest = 128

abstract class Keys {
  readonly #known: RecentMap<string, number>
  /** New in the batch under way. */
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

  protected add(text: string): number {
    const key = this.#next++
    this.fresh.set(text, key)
    return key
  }

  protected recall(text: string): number | undefined {
    return this.#known.get(text.length > longest ? hash('sha256', text, 'base64') : text)
  }

  protected remember(text: string, key: number): void {
    // A copy of short ones: they may be pieces of a whole journal row, which would stay in memory with them.
    this.#known.set(text.length > longest ? hash('sha256', text, 'base64') : Buffer.from(text).toString(), key)
  }

  committed(): void {
    for (const [text, key] of this.fresh) this.remember(text, key)
    this.fresh.clear()
  }

  rolledBack(): void {
    this.fresh.clear()
  }
}

/** One key for one text: what the recent map has forgotten is looked up in the table, once for the whole batch. */
export class Names extends Keys {
  readonly #found = new Map<string, number>()

  static async open(connection: DuckDBConnection, table: string, size: number): Promise<Names> {
    return new Names(table, size, await nextKey(connection, table))
  }

  /** Makes `key` answer for all of these. */
  async prepare(connection: DuckDBConnection, texts: Iterable<string>): Promise<void> {
    this.#found.clear()
    const missing = new Set<string>()
    let before: string | undefined
    for (const text of texts) {
      if (text === before || this.#found.has(text)) continue
      before = text
      const key = this.recall(text)
      if (key === undefined) missing.add(text)
      else this.#found.set(text, key)
    }
    if (missing.size === 0) return
    for (const { text, key } of await this.look(connection, missing)) {
      if (!missing.delete(text)) continue
      this.#found.set(text, key)
      this.remember(text, key)
    }
    for (const text of missing) this.#found.set(text, this.add(text))
  }

  key(text: string): number {
    const key = this.#found.get(text)
    if (key === undefined) throw new Error(`${this.table}: "${text}" was not prepared`)
    return key
  }

  /** The key of one text, if it has one, for a report. */
  async find(connection: DuckDBConnection, text: string): Promise<number | undefined> {
    const known = this.recall(text)
    if (known !== undefined) return known
    const rows = await rowsOf(connection, `SELECT id, value FROM ${this.table} WHERE digest = ${digestOf(text)}`)
    const key = rows.find(([, value]) => value === text)?.[0]
    if (key === undefined) return undefined
    this.remember(text, Number(key))
    return Number(key)
  }

  /** What the table knows of these, and perhaps of others. */
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
}

const nameColumns: readonly ColumnType[] = ['INTEGER', 'BIGINT', 'VARCHAR']

interface Known {
  readonly text: string
  readonly key: number
}

/** An address as one group's clicks know it. */
export interface AddressKey {
  readonly id: number
  readonly group: number
}

/** Addresses, with one key for each group they belonged to: texts here are made by `addressIn`. */
export class Addresses extends Names {
  /** For reports, which ask for an address and not for a group. */
  readonly #keys = new RecentMap<string, readonly AddressKey[]>(20_000)

  static override async open(connection: DuckDBConnection, table: string, size: number): Promise<Addresses> {
    return new Addresses(table, size, await nextKey(connection, table))
  }

  async keysOf(connection: DuckDBConnection, address: string): Promise<readonly AddressKey[]> {
    const known = this.#keys.get(address)
    if (known) return known
    const sql = `SELECT id, group_key, value FROM ${this.table} WHERE digest = ${digestOf(address)}`
    const rows = (await rowsOf(connection, sql)).filter(([, , value]) => value === address)
    const keys = rows.map(([id, group]) => ({ id: Number(id), group: Number(group) }))
    // An unknown one may get its first click at any moment, and a known one another group: see `committed`.
    if (keys.length > 0) this.#keys.set(address, keys)
    return keys
  }

  override committed(): void {
    for (const text of this.fresh.keys()) this.#keys.delete(partsOf(text).address)
    super.committed()
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

/** 64 bits of a good hash: finds a text among millions by comparing numbers; the text itself is compared afterwards. */
function digestOf(text: string): bigint {
  return hash('sha256', text, 'buffer').readBigInt64LE(0)
}

async function rowsWithDigests(connection: DuckDBConnection, select: string, texts: Iterable<string>) {
  const digests = Array.from(texts, digestOf)
  return rowsOf(connection, `${select} WHERE digest IN (SELECT unnest($1::BIGINT[]))`, [listValue(digests)])
}

async function rowsOf(connection: DuckDBConnection, sql: string, parameters: DuckDBValue[] = []) {
  return (await connection.runAndReadAll(sql, parameters)).getRows()
}

/**
 * Keys for descriptions of several words. Visitors can invent them without end (a referrer's host), and looking each up
 * would cost more with every year: what the recent map has forgotten simply gets another key.
 */
export class Descriptions extends Keys {
  readonly #width: number

  private constructor(table: string, width: number, size: number, next: number) {
    super(table, size, next)
    this.#width = width
  }

  static async open(connection: DuckDBConnection, table: string, width: number, size: number): Promise<Descriptions> {
    const descriptions = new Descriptions(table, width, size, await nextKey(connection, table))
    const reader = await connection.runAndReadAll(`SELECT * FROM ${table} ORDER BY id DESC LIMIT ${size >> 1}`)
    for (const [key, ...words] of reader.getRows()) descriptions.remember(words.join(separator), Number(key))
    return descriptions
  }

  /** `text`: the words with the separator between them. */
  key(text: string): number {
    return this.recall(text) ?? this.fresh.get(text) ?? this.add(text)
  }

  async write(connection: DuckDBConnection): Promise<void> {
    const rows = [...this.fresh.keys()].map((text) => text.split(separator))
    const words = Array.from({ length: this.#width }, (_, column) => rows.map((row) => row[column] ?? ''))
    const types: readonly ColumnType[] = ['INTEGER', ...words.map(() => 'VARCHAR' as const)]
    await writeColumns(connection, this.table, rows.length, types, [[...this.fresh.values()], ...words])
  }
}

/** Unit separator: stands in no name of a place, a program or a host. */
export const separator = '\u001f'

async function nextKey(connection: DuckDBConnection, table: string): Promise<number> {
  const reader = await connection.runAndReadAll(`SELECT coalesce(max(id), 0) + 1 FROM ${table}`)
  return Number(reader.getRows()[0]?.[0] ?? 1)
}
