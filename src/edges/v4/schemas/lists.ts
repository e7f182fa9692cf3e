/** What lists have in common: their filters in the query, and the cursor in the answer. */
import { type Static, type TProperties, Type } from 'typebox'
import { apiUrl } from '../../http/link-names.js'
import { cursorBounds, noControls, tagBounds, tagListBounds } from './bounds.js'
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

/** Repeats the query of this page. The cursor takes the place of `page`, which older clients send. */
export function pagination(
  requestUrl: string,
  searchAfter: string | undefined,
  size: number,
): Static<typeof Pagination> {
  if (searchAfter === undefined) return { next: '', search_after: '', size }
  const next = new URL(requestUrl)
  next.searchParams.delete('page')
  next.searchParams.set('search_after', searchAfter)
  return { next: next.href, search_after: searchAfter, size }
}

/** The body of one change to many links or codes. */
export function changeOfMany<Ids extends TProperties>(many: {
  readonly what: 'links' | 'codes'
  readonly ids: Ids
  readonly examples: object
}) {
  const { what, ids, examples } = many
  return Type.Object(
    {
      action: Type.Enum(['archive', 'edit_tags'], { type: 'string', description: `What to do with the ${what}` }),
      ...ids,
      archive: Type.Optional(Type.Boolean({ description: `Required for \`archive\`: false restores the ${what}` })),
      add_tags: Type.Optional(
        Type.Array(Type.String(tagBounds), {
          ...tagListBounds,
          description: 'For `edit_tags`, which needs tags to add or to remove',
        }),
      ),
      remove_tags: Type.Optional(
        Type.Array(Type.String(tagBounds), { description: 'For `edit_tags`; removed before `add_tags` are added' }),
      ),
    },
    {
      examples: [{ action: 'edit_tags', ...examples, add_tags: ['autumn'], remove_tags: ['summer'] }],
    },
  )
}
