/** How a table is described: its columns and their kinds, who owns its rows, and what copies of the records have of it. */
import type { Generated } from 'kysely'
import type { Renewal, SecretKind } from '../../../core/copies/record-tables.js'

/** `Stored`: the type of its values in the database. `Value`: in objects of core, see `codec.ts`. */
export interface Column<Stored = unknown, Value = unknown> {
  readonly kind: 'text' | 'number' | 'time' | 'flag' | 'json'
  /** One sentence for the README of an archive. */
  readonly about: string
  /** Part of the primary key. Archives are sorted by it. */
  readonly key?: true
  /** May be null. */
  readonly optional?: true
  /** The database fills it in when an insert leaves it out. */
  readonly defaulted?: true
  /** Only in archives with secrets. */
  readonly secret?: true
  /** What an import writes when the archive has no secrets. */
  readonly renewed?: Renewal
  /** In the database; plain in archives. */
  readonly encrypted?: SecretKind
  /** A login that is replaced by a pseudonym when this user is forgotten. */
  readonly namesUser?: true
  /** What is stored instead when the link of the row is forgotten. */
  readonly forgotten?: string | null
  /** Never there: carries the types. */
  readonly types?: { readonly stored: Stored; readonly value: Value }
}

export interface Table<Columns = Readonly<Record<string, Column>>> {
  readonly about: string
  readonly owner: Owner
  readonly copied: Copied
  readonly columns: Columns
}

/** What decides to which organization a row belongs; records/copies/scopes.ts has the conditions. */
export type Owner =
  | 'organization'
  | 'group'
  /** Its rows are deleted with the user. */
  | 'user'
  | 'link'
  | 'campaign'
  | 'image'
  | 'site'
  | 'address'
  | 'itself'
  | 'subject'
  | 'group and domain'
  | 'group and organization'
  | 'former user'
  | 'everybody'
  | 'nobody'

/** `moved`: in no archive, but it goes along to another engine. */
export type Copied = 'in archives' | 'in archives with secrets' | 'moved' | 'never'

export function archived<Columns>(owner: Owner, about: string, columns: Columns): Table<Columns> {
  return { owner, about, copied: 'in archives', columns }
}

export function archivedWithSecrets<Columns>(owner: Owner, about: string, columns: Columns): Table<Columns> {
  return { owner, about, copied: 'in archives with secrets', columns }
}

/** What it contains is also why no archive has it. */
export function moved<Columns>(owner: Owner, about: string, columns: Columns): Table<Columns> {
  return { owner, about, copied: 'moved', columns }
}

/** Belongs to processes that run now. */
export function neverCopied<Columns>(about: string, columns: Columns): Table<Columns> {
  return { owner: 'nobody', about, copied: 'never', columns }
}

export function text<Value extends string = string>(about = ''): Column<Value, Value> {
  return { kind: 'text', about }
}

export function number(about = ''): Column<number, number> {
  return { kind: 'number', about }
}

/** Epoch milliseconds. */
export function time(about = ''): Column<number, number> {
  return { kind: 'time', about }
}

/** 0 or 1. */
export function flag(about = ''): Column<number, boolean> {
  return { kind: 'flag', about }
}

/** What we wrote ourselves, so it is not checked when it is read. */
export function json<Value>(about = ''): Column<string, Value> {
  return { kind: 'json', about }
}

export function key<Stored, Value>(column: Column<Stored, Value>): Column<Stored, Value> {
  return { ...column, key: true }
}

export function optional<Stored, Value>(column: Column<Stored, Value>): Column<Stored | null, Value | undefined> {
  return { ...(column as Column<Stored | null, Value | undefined>), optional: true }
}

export function defaulted<Stored, Value>(column: Column<Stored, Value>): Column<Generated<Stored>, Value> {
  return { ...(column as Column<Generated<Stored>, Value>), defaulted: true }
}

export function secret<Stored, Value>(column: Column<Stored, Value>, renewed?: Renewal): Column<Stored, Value> {
  return { ...column, secret: true, ...(renewed && { renewed }) }
}

export function encrypted<Stored, Value>(kind: SecretKind, column: Column<Stored, Value>): Column<Stored, Value> {
  return { ...column, encrypted: kind }
}

export function namesUser<Stored, Value>(column: Column<Stored, Value>): Column<Stored, Value> {
  return { ...column, namesUser: true }
}

export function forgotten<Stored, Value>(
  column: Column<Stored, Value>,
  instead: string | null = null,
): Column<Stored, Value> {
  return { ...column, forgotten: instead }
}

// Columns that many tables have.

export const id = key(text('Its id.'))
export const groupGuid = text('The group that owns it.')
export const organizationGuid = text('The organization that owns it.')
export const createdAt = time('When it was created.')
const modifiedAt = time('When it was last changed.')
export const times = { created_at: createdAt, modified_at: modifiedAt }
export const createdBy = namesUser(text('The login of the user who created it.'))
export const position = number('Its place in the list, from 0.')
