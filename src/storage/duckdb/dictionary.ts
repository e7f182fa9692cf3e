/**
 * Texts as integers. A dictionary hands out keys while a batch is prepared, writes the new ones in the batch's
 * transaction, and remembers them only when told that it was committed: a key that was rolled back is never used again.
 */
import { hash } from 'node:crypto'
import { type DuckDBConnection, listValue } from '@duckdb/node-api'
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

/**
 * One key for one text: what the recent map has forgotten is looked up in the table, once for the whole batch. There is
 * no index on the text; with one, millions of addresses would have to stay in memory.
 */
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
    const reader = await connection.runAndReadAll(
      `SELECT value, id FROM ${this.table} WHERE value IN (SELECT unnest($1::VARCHAR[]))`,
      [listValue([...missing])],
    )
    for (const [text, key] of reader.getRows()) {
      this.#found.set(String(text), Number(key))
      this.remember(String(text), Number(key))
      missing.delete(String(text))
    }
    for (const text of missing) this.#found.set(text, this.add(text))
  }

  key(text: string): number {
    const key = this.#found.get(text)
    if (key === undefined) throw new Error(`${this.table}: "${text}" was not prepared`)
    return key
  }

  async write(connection: DuckDBConnection): Promise<void> {
    await writeColumns(connection, this.table, this.fresh.size, nameColumns, [
      [...this.fresh.values()],
      [...this.fresh.keys()],
    ])
  }
}

const nameColumns: readonly ColumnType[] = ['INTEGER', 'VARCHAR']

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
