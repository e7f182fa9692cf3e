/** What the lists of short links and of QR codes have in common: their filters, and one change to many of them. */
import { type Static, type TObject, type TStringOptions, Type } from 'typebox'
import { linksPerChange } from '../../../core/links/bulk.js'
import type { ItemFilterInput, PagingInput } from '../../../core/links/paging.js'
import { changedLinksBounds, destinationBounds, queryBounds, tagBounds, tagListBounds } from './bounds.js'
import {
  choice,
  chosen,
  defaultSize,
  epochSeconds,
  joinedTexts,
  pageFields,
  pageNumber,
  separated,
  text,
} from './lists.js'

/** Query parameters of pages. */
export function itemPaging(what: 'Links' | 'Codes') {
  return { ...pageFields(`${what} per page`, { default: defaultSize }), page: pageNumber }
}

/** Query parameters in groups: each list has its own between them. */
export function itemFilters(what: 'Links' | 'Codes', backHalves: string) {
  const items = what.toLowerCase()
  return {
    search: {
      query: text(
        `Full-text search: ${items} with all of these words in title, long URL, ${backHalves} or tags; case-insensitive`,
        queryBounds,
      ),
      hostname_path_query: text(
        'Host, path or both of the destination: `example.com`, `example.com/blog`, `/blog`. Also matches subdomains and ' +
          'subpaths; ignores port, query and fragment.',
        destinationBounds,
      ),
    },
    created: {
      created_before: epochSeconds('Created before this time, in epoch seconds'),
      created_after: epochSeconds('Created at or after this time, in epoch seconds'),
      archived: choice('off', `Archived ${items}`),
    },
    expiry: {
      is_expired: choice('both', `${what} that have expired`),
      has_expiration: choice('both', `${what} with an expiration time`),
      has_dynamic_routing: choice('both', `${what} with routing rules`),
    },
    tags: { tags: joinedTexts(`${what} with this tag; repeat it for ${items} with all tags`) },
  }
}

export function itemPage(query: Static<TObject<ReturnType<typeof itemPaging>>>): PagingInput {
  return { size: query.size ?? defaultSize, searchAfter: query.search_after, page: query.page }
}

type Filters = ReturnType<typeof itemFilters>
type Query = Static<TObject<Filters['search'] & Filters['created'] & Filters['expiry'] & Filters['tags']>>

export function itemFilterInput(query: Query): ItemFilterInput {
  return {
    query: query.query,
    hostnamePathQuery: query.hostname_path_query,
    createdBefore: query.created_before,
    createdAfter: query.created_after,
    archived: chosen(query.archived ?? 'off'),
    isExpired: chosen(query.is_expired),
    hasExpiration: chosen(query.has_expiration),
    hasDynamicRouting: chosen(query.has_dynamic_routing),
    tags: separated(query.tags),
  }
}

/** What a change to many links or codes does to each. */
export function changeOfEach(what: 'links' | 'codes') {
  return {
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
  }
}

/** The body of one change to many links or codes, whose ids are in `field`. */
export function changeOfMany<Field extends string>(
  what: 'links' | 'codes',
  field: Field,
  id: { readonly bounds: TStringOptions; readonly named: string; readonly example: string },
) {
  const ids = Type.Array(Type.String(id.bounds), {
    ...changedLinksBounds,
    description: `Ids of 1 to ${linksPerChange} ${id.named} of the group`,
  })
  return Type.Object(
    {
      action: Type.Enum(['archive', 'edit_tags'], { type: 'string', description: `What to do with the ${what}` }),
      ...({ [field]: ids } as Record<Field, typeof ids>),
      ...changeOfEach(what),
    },
    {
      examples: [{ action: 'edit_tags', [field]: [id.example], add_tags: ['autumn'], remove_tags: ['summer'] }],
    },
  )
}
