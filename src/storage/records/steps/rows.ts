/** The plain statements that most stores need: on the rows of a table in which all given columns have the given values. */
import {
  type Insertable,
  type Kysely,
  type RawBuilder,
  type Selectable,
  sql,
  type Transaction,
  type Updateable,
} from 'kysely'
import { changesRow } from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'

type Table = keyof Schema
type Row<Name extends Table> = Selectable<Schema[Name]>
type ColumnOf<Name extends Table> = keyof Row<Name> & string
/** Null finds rows without a value. */
type Where<Name extends Table> = { readonly [Column in ColumnOf<Name>]?: Row<Name>[Column] }

/** These columns of the row, by default all; undefined if there is none. */
export async function findRow<Name extends Table, Column extends ColumnOf<Name> = ColumnOf<Name>>(
  db: Kysely<Schema>,
  table: Name,
  where: Where<Name>,
  columns?: readonly Column[],
): Promise<Pick<Row<Name>, Column> | undefined> {
  const rows = db.selectFrom(table as Table)
  const query = matching(columns ? rows.select(columns as never) : rows.selectAll(), where)
  return (await query.limit(1).executeTakeFirst()) as Pick<Row<Name>, Column> | undefined
}

export async function countRows<Name extends Table>(
  db: Kysely<Schema>,
  table: Name,
  where: Where<Name>,
): Promise<number> {
  const rows = db.selectFrom(table as Table).select(({ fn }) => fn.countAll().as('count'))
  return Number((await matching(rows, where).executeTakeFirstOrThrow()).count)
}

export async function hasRow<Name extends Table>(
  db: Kysely<Schema>,
  table: Name,
  where: Where<Name>,
): Promise<boolean> {
  const [column] = Object.keys(where) as ColumnOf<Name>[]
  return column !== undefined && (await findRow(db, table, where, [column])) !== undefined
}

/** False if nothing was deleted. */
export function deleteRows<Name extends Table>(
  tx: Transaction<Schema>,
  table: Name,
  where: Where<Name>,
): Promise<boolean> {
  return changesRow(matching(tx.deleteFrom(table as Table), where))
}

/** False if there are no such rows. */
export function updateRows<Name extends Table>(
  tx: Transaction<Schema>,
  table: Name,
  where: Where<Name>,
  values: Updateable<Schema[Name]>,
): Promise<boolean> {
  return changesRow(matching(tx.updateTable(table as Table).set(values as never), where))
}

export async function insertRows<Name extends Table>(
  tx: Transaction<Schema>,
  table: Name,
  rows: Insertable<Schema[Name]> | readonly Insertable<Schema[Name]>[],
): Promise<void> {
  await tx
    .insertInto(table as Table)
    .values(rows as never)
    .execute()
}

/** Updates the row with this key, or inserts it. */
export async function upsert<Name extends Table>(
  tx: Transaction<Schema>,
  table: Name,
  key: Where<Name>,
  values: Updateable<Schema[Name]>,
): Promise<void> {
  await tx
    .insertInto(table as Table)
    .values({ ...key, ...values } as never)
    .onConflict((conflict) => conflict.columns(Object.keys(key) as never).doUpdateSet(values as never))
    .execute()
}

/** Leaves out rows whose key exists. False if it left out all of them. */
export function insertMissing<Name extends Table>(
  tx: Transaction<Schema>,
  table: Name,
  rows: Insertable<Schema[Name]> | readonly Insertable<Schema[Name]>[],
): Promise<boolean> {
  const insert = tx.insertInto(table as Table).values(rows as never)
  return changesRow(insert.onConflict((conflict) => conflict.doNothing()))
}

/** A page of a list, newest first: of rows that come after a place in it. */
export function newestFirst<Query extends Paged<Query>>(
  rows: Query,
  [time, id]: readonly [time: string, id: string],
  after: readonly [at: number, id: string] | undefined,
  size: number,
): Query {
  const left = after ? rows.where(sql<boolean>`(${sql.ref(time)}, ${sql.ref(id)}) < (${after[0]}, ${after[1]})`) : rows
  return left.orderBy(sql.ref(time), 'desc').orderBy(sql.ref(id), 'desc').limit(size)
}

interface Paged<Query> {
  where(condition: RawBuilder<boolean>): Query
  orderBy(column: RawBuilder<unknown>, direction: 'desc'): Query
  limit(size: number): Query
}

/** An update that changes nothing, as a lock: others who hold the row wait for this transaction. False if there is no row. */
export function holdRow<Name extends Table>(
  tx: Transaction<Schema>,
  table: Name,
  where: Where<Name>,
): Promise<boolean> {
  return changesRow(unchanged(tx, table, where))
}

/** The same, with the row as it is now. */
export async function readHeldRow<Name extends Table>(
  tx: Transaction<Schema>,
  table: Name,
  where: Where<Name>,
): Promise<Row<Name> | undefined> {
  return (await unchanged(tx, table, where).returningAll().executeTakeFirst()) as Row<Name> | undefined
}

function unchanged(tx: Transaction<Schema>, table: Table, where: object) {
  const [column] = Object.keys(where)
  const update = tx.updateTable(table).set((row) => ({ [column ?? '']: row.ref(column as never) }) as never)
  return matching(update, where)
}

interface Filtered<Query> {
  where(column: never, operator: '=' | 'is', value: never): Query
}

function matching<Query extends Filtered<Query>>(query: Query, where: object): Query {
  let filtered = query
  for (const [column, value] of Object.entries(where)) {
    filtered = filtered.where(column as never, value === null ? 'is' : '=', value as never)
  }
  return filtered
}
