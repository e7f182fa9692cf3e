/** How the tables of the click log store each dimension of core/clicks/dimensions.ts. */
import { allDimensions, type Name, parts } from '../../core/clicks/dimensions.js'

interface StoredDimension {
  /** The column of clicks: a number, or the key of a dictionary entry. */
  readonly column: string
  /** The dictionary; undefined for numbers of `codes`. */
  readonly table?: string
  readonly codes?: readonly string[]
  /** The column of the dictionary. */
  readonly text: string
  /** SQL for the text, where clicks are called `keyed` and joined with the dictionary. */
  readonly value: string
}

/** Names that older files have; other dimensions are stored under the name of their column. */
const olderNames: Readonly<Partial<Record<Name, string>>> = {
  trafficClass: 'nature',
  referrer: 'value',
  referrerDomain: 'domain',
  referrerName: 'name',
  referrerNetwork: 'network',
}

/** Dictionaries with one text per key. */
const singleTexts: Readonly<Partial<Record<Name, { readonly column: string; readonly table: string }>>> = {
  address: { column: 'address', table: 'addresses' },
  groupGuid: { column: 'group_key', table: 'groups' },
  destination: { column: 'destination', table: 'destinations' },
}

export const stored = Object.fromEntries(
  allDimensions.map(({ name, part, column, codes }): [Name, StoredDimension] => {
    const text = olderNames[name] ?? column
    const single = singleTexts[name]
    if (single) return [name, { ...single, text: 'value', value: `${single.table}.value` }]
    if (codes) return [name, { column: text, text, codes, value: nameOf(text, codes) }]
    if (part === 'click') throw new Error(`${name} has neither codes nor a dictionary`)
    return [name, { column: part, table: parts[part], text, value: `${parts[part]}.${text}` }]
  }),
) as Readonly<Record<Name, StoredDimension>>

/** The joins of these dimensions' dictionaries. */
export function dictionaryJoins(names: readonly Name[]): string {
  const joins = names.flatMap((name) => {
    const { column, table } = stored[name]
    return table === undefined ? [] : [`JOIN ${table} ON ${table}.id = keyed.${column}`]
  })
  return [...new Set(joins)].join(' ')
}

function nameOf(column: string, codes: readonly string[]): string {
  return `CASE keyed.${column} ${codes.map((code, number) => `WHEN ${number} THEN '${code}'`).join(' ')} END`
}
