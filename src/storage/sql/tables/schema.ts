import type { ColumnsOf, TableName } from './index.js'
import type { Column } from './table.js'

/** The tables for queries, as `tables` describes them: times in epoch milliseconds, flags as 0 or 1, JSON as text. */
export interface Schema extends StoredTables {}

type StoredTables = { [Name in TableName]: StoredColumns<ColumnsOf<Name>> }

type StoredColumns<Columns> = {
  [Name in keyof Columns]: Columns[Name] extends Column<infer Stored, unknown> ? Stored : never
}
