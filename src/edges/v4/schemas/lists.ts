/** What lists have in common: their filters in the query, and the cursor in the answer. */
import { type Static, type TArray, type TSchema, Type } from 'typebox'
import { apiUrl } from '../../http/link-names.js'
import { cursorBounds, noControls } from './bounds.js'
import { optionalText } from './fields.js'

export function text(description: string, more = {}) {
  return Type.Optional(Type.String({ pattern: noControls, ...more, description }))
}

export function texts(description: string) {
  return Type.Optional(Type.Array(Type.String({ pattern: noControls }), { description }))
}

/** Names without commas: also those that clients join with commas. */
export function joinedTexts(description: string) {
  return texts(`${description}, or separate them with commas`)
}

export function separated(values: readonly string[] = []): readonly string[] {
  return values.flatMap((value) => value.split(',')).filter((value) => value !== '')
}

export const defaultSize = 50

/** The parameters of a page, the same for all lists (docs/api/README.md#pagination). */
export function pageFields(description: string, more: { readonly default?: number } = {}) {
  return {
    size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, ...more, description })),
    search_after: optionalText('Cursor: `pagination.search_after` of the previous page', cursorBounds),
  }
}

export const pageNumber = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 10_000,
    description: 'Number of the page, of the first 10,000 entries, for older clients; `search_after` wins over it',
  }),
)

/** Rejects milliseconds: they would be after the year 9999. */
export function epochSeconds(description: string) {
  return Type.Optional(Type.Integer({ minimum: 0, maximum: 253_402_300_799, description }))
}

export function choice(byDefault: 'off' | 'both', what: string) {
  const description = `${what}: \`on\` for only these, \`off\` to exclude them, \`both\` for all`
  return Type.Optional(Type.Enum(['on', 'off', 'both'], { type: 'string', default: byDefault, description }))
}

/** `both` means no filter. */
export function chosen(choice: 'on' | 'off' | 'both' = 'both'): boolean | undefined {
  return choice === 'both' ? undefined : choice === 'on'
}

export const Pagination = Type.Object(
  {
    next: Type.String({ ...apiUrl, description: 'URL of the next page; empty on the last page' }),
    search_after: Type.String({ description: 'Cursor of the next page; empty on the last page' }),
    size: Type.Integer({ description: 'As requested' }),
  },
  { title: 'Pagination' },
)

/** An answer with a list in this field. */
export function listAnswer<Field extends string, Entry extends TSchema>(
  field: Field,
  entry: Entry,
  description: string,
) {
  return Type.Object({ [field]: Type.Array(entry) } as Record<Field, TArray<Entry>>, { description })
}

/** The same with one page of the list. */
export function pageAnswer<Field extends string, Entry extends TSchema>(
  field: Field,
  entry: Entry,
  description: string,
) {
  const { properties } = listAnswer(field, entry, description)
  return Type.Object({ ...properties, pagination: Pagination }, { description })
}

/** Repeats the query of this page, without `once`. The cursor takes the place of `page`, which older clients send. */
export function pagination(
  requestUrl: string,
  searchAfter: string | undefined,
  size: number,
  once: readonly string[] = ['page'],
): Static<typeof Pagination> {
  if (searchAfter === undefined) return { next: '', search_after: '', size }
  const next = new URL(requestUrl)
  for (const name of once) next.searchParams.delete(name)
  next.searchParams.set('search_after', searchAfter)
  return { next: next.href, search_after: searchAfter, size }
}
