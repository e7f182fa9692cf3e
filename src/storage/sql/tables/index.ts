/**
 * All tables of the records, described once: the types of queries, the values of rows, archives, moves to other engines and
 * forgetting people follow this list. A table comes after those that it refers to. A change needs a migration, too:
 * tables.test.ts compares the two on both engines.
 */
import { accounts } from './accounts.js'
import { domains } from './domains.js'
import { links } from './links.js'
import { qrCodes } from './qr-codes.js'
import { service } from './service.js'
import { sites } from './sites.js'
import type { Column, Table } from './table.js'

export const tables = { ...accounts, ...domains, ...links, ...qrCodes, ...sites, ...service } satisfies Record<
  string,
  Table
>

export type TableName = keyof typeof tables

export type ColumnsOf<Name extends TableName> = (typeof tables)[Name]['columns']

export const tableNames = Object.keys(tables) as readonly TableName[]

export interface NamedColumn extends Column {
  readonly name: string
}

export function columnsOf(table: TableName): readonly NamedColumn[] {
  return Object.entries<Column>(tables[table].columns).map(([name, column]) => ({ name, ...column }))
}

export function namesOf(table: TableName, isWanted: (column: NamedColumn) => unknown): readonly string[] {
  return columnsOf(table).flatMap((column) => (isWanted(column) ? [column.name] : []))
}
