/** Reads whole tables in pages, in the byte order of their keys. Each engine has its own way to do so in bounded memory. */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { StoredRow } from '../../../core/copies/values.js'
import { columnsOf, namesOf, type TableName } from '../tables/index.js'
import type { Schema } from '../tables/schema.js'

export interface TablePages {
  /** Begins a transaction that sees one moment and writes nothing. */
  readonly begin: RawBuilder<unknown>
  read(connection: Kysely<Schema>, table: WholeTable): AsyncIterable<readonly StoredRow[]>
}

interface WholeTable {
  readonly name: TableName
  readonly columns: readonly RawBuilder<unknown>[]
  readonly where: RawBuilder<SqlBool>
  /** False: in any order, which saves sorting. Default: true. */
  readonly sorted?: boolean
}

/** Runs the work on the tables as they are at one moment. */
export function readAtOneMoment<T>(
  db: Kysely<Schema>,
  pages: TablePages,
  work: (connection: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  return db.connection().execute(async (connection) => {
    await pages.begin.execute(connection)
    try {
      return await work(connection)
    } finally {
      await sql`rollback`.execute(connection)
    }
  })
}

const pageRows = 1_000

/** Each page begins after the last key: the primary key is an index in byte order. */
export const keysetPages: TablePages = {
  begin: sql`begin`,
  async *read(connection, { name, columns, where }) {
    const key = namesOf(name, (column) => column.key)
    const keys = sql.join(key.map((column) => sql.ref(column)))
    let last: StoredRow | undefined
    do {
      const after = last && sql`and (${keys}) > (${sql.join(key.map((column) => last?.[column] ?? null))})`
      const { rows }: { rows: readonly StoredRow[] } = await sql<StoredRow>`
        select ${sql.join(columns)} from ${sql.table(name)} where (${where}) ${after ?? sql``}
        order by ${keys} limit ${sql.lit(pageRows)}`.execute(connection)
      if (rows.length > 0) yield rows
      last = rows.length === pageRows ? rows.at(-1) : undefined
    } while (last)
  },
}

/** A cursor of the server: indexes follow the language of the database, so it must sort the table once by bytes. */
export const cursorPages: TablePages = {
  begin: sql`begin isolation level repeatable read read only`,
  async *read(connection, { name, columns, where, sorted = true }) {
    const keys = columnsOf(name)
      .filter((column) => column.key)
      .map((column) => sql`${sql.ref(column.name)} ${column.kind === 'text' ? sql`collate "C"` : sql``}`)
    const order = sorted ? sql`order by ${sql.join(keys)}` : sql``
    // DECLARE takes no parameters.
    const { sql: text, parameters } = sql`
      select ${sql.join(columns)} from ${sql.table(name)} where (${where}) ${order}`.compile(connection)
    const cursor = sql.raw(`declare whole_table no scroll cursor for ${withLiterals(text, parameters)}`)
    await cursor.execute(connection)
    for (;;) {
      const { rows } = await sql<StoredRow>`fetch ${sql.lit(pageRows)} from whole_table`.execute(connection)
      if (rows.length === 0) break
      yield rows
    }
    await sql`close whole_table`.execute(connection)
  },
}

function withLiterals(text: string, parameters: readonly unknown[]): string {
  return text.replace(/\$(\d+)/g, (_, number: string) => {
    const value = parameters[Number(number) - 1]
    if (typeof value !== 'string' || !/^[\w-]*$/.test(value)) throw new Error(`not a plain id: ${String(value)}`)
    return `'${value}'`
  })
}
