/**
 * Rows of a table as objects of core and back: `created_at` is `createdAt`, null is undefined, 1 is true, and JSON is what
 * it stands for. Made once for each table, since pages of links run it for every row.
 */
import type { Insertable } from 'kysely'
import { type ColumnsOf, columnsOf, type TableName } from './index.js'
import type { Schema } from './schema.js'
import type { Column } from './table.js'

export interface Codec<Name extends TableName, Left extends keyof Fields<Name> = never> {
  /** The row as an object. */
  fields(row: object): Omit<Fields<Name>, Left>
  /** The same with further fields. They must be the same ones each time. */
  fieldsWith<More extends object>(row: object, more: More): Omit<Fields<Name>, Left> & More
  /** The columns of the fields that are there; undefined ones are left out, and null is null. */
  columns<Given extends GivenFields<Name>>(given: Given): ColumnsFor<Name, Given>
}

/** The fields of a table: `{ readonly createdAt: number }` for a column `created_at`. */
export type Fields<Name extends TableName> = {
  readonly [Each in keyof ColumnsOf<Name> as FieldName<Each>]: ValueOf<ColumnsOf<Name>[Each]>
}

type GivenFields<Name extends TableName> = {
  readonly [Each in keyof Fields<Name>]?: Fields<Name>[Each] | null | undefined
}

type ColumnsFor<Name extends TableName, Given> = Pick<
  Insertable<Schema[Name]>,
  { [Each in keyof ColumnsOf<Name>]: FieldName<Each> extends keyof Given ? Each : never }[keyof ColumnsOf<Name>] &
    keyof Insertable<Schema[Name]>
>

type FieldName<Name> = Name extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<FieldName<Rest>>}`
  : Name & string

type ValueOf<Described> = Described extends Column<unknown, infer Value> ? Value : never

/** `left`: fields that its callers read in another way. */
export function codec<Name extends TableName, Left extends keyof Fields<Name> & string = never>(
  table: Name,
  left: readonly Left[] = [],
): Codec<Name, Left> {
  const all = columnsOf(table).map((column) => ({ ...column, field: fieldName(column.name) }))
  const read = all.filter(({ field }) => !(left as readonly string[]).includes(field))
  const names = read.map(({ field }) => field)
  const own = copyable(names)
  let extended: typeof own | undefined

  function fill(object: Record<string, unknown>, row: object) {
    for (const { field, kind, name } of read) {
      object[field] = readValue(kind, (row as Readonly<Record<string, unknown>>)[name])
    }
    return object as Omit<Fields<Name>, Left>
  }

  return {
    fields: (row) => fill({ ...own }, row),
    fieldsWith(row, more) {
      extended ??= copyable([...names, ...Object.keys(more)])
      return Object.assign(fill({ ...extended }, row), more)
    },
    columns(given) {
      const row: Record<string, unknown> = {}
      for (const { field, kind, name } of all) {
        const value = (given as Readonly<Record<string, unknown>>)[field]
        if (value !== undefined) row[name] = storedValue(kind, value)
      }
      return row as ReturnType<Codec<Name, Left>['columns']> as never
    },
  }
}

/** Of some fields, for queries that read no more: their columns, and a row as an object. */
export function partOf<Name extends TableName, Field extends keyof Fields<Name> & string>(
  table: Name,
  fields: readonly Field[],
) {
  const columns = columnsOf(table)
    .map((column) => ({ ...column, field: fieldName(column.name) }))
    .filter(({ field }) => (fields as readonly string[]).includes(field))
  return {
    names: columns.map(({ name }) => name) as (keyof Schema[Name] & string)[],
    fields(row: object): Pick<Fields<Name>, Field> {
      const read = columns.map(({ field, kind, name }) => [field, readValue(kind, Reflect.get(row, name))])
      return Object.fromEntries(read)
    },
  }
}

/**
 * An object with these names, for copies that are then filled. It is parsed, since one that was built name by name takes
 * ten times as long to copy, and so does adding names to a copy.
 */
export function copyable(names: readonly string[]): Readonly<Record<string, unknown>> {
  return JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`).join()}}`)
}

function readValue(kind: Column['kind'], stored: unknown): unknown {
  if (kind === 'flag') return stored === 1
  if (stored === null) return undefined
  return kind === 'json' && stored !== undefined ? JSON.parse(stored as string) : stored
}

function storedValue(kind: Column['kind'], value: unknown): unknown {
  if (value === null) return null
  if (kind === 'flag') return value ? 1 : 0
  return kind === 'json' ? JSON.stringify(value) : value
}

function fieldName(column: string): string {
  return column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
