/** Pages of links or QR codes: what their lists can be filtered by, and where a page begins. */
import type { Domains } from '../domains/domains.js'
import { cursorOf, positionIn } from '../values/cursor.js'
import { invalid } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { ItemFilter, Page, Position } from './link-store.js'
import { parseDestination, wordsOf } from './search.js'
import { tagSpelling } from './tags.js'

export interface PagingInput {
  readonly size: number
  /** The cursor of a former page. */
  readonly searchAfter: string | undefined
  /** From 1; older clients send it instead of the cursor, which wins. */
  readonly page?: number | undefined
}

export interface ItemListInput extends PagingInput, ItemFilterInput {}

/** Undefined filters are ignored. */
export interface ItemFilterInput {
  readonly query?: string | undefined
  readonly hostnamePathQuery?: string | undefined
  /** Epoch seconds. */
  readonly createdBefore?: number | undefined
  readonly createdAfter?: number | undefined
  readonly domain?: string | undefined
  readonly archived?: boolean | undefined
  readonly isExpired?: boolean | undefined
  readonly hasExpiration?: boolean | undefined
  readonly hasDynamicRouting?: boolean | undefined
  readonly tags?: readonly string[] | undefined
}

export interface ItemListDeps {
  readonly domains: Pick<Domains, 'keyOf'>
  readonly clock: Clock
}

export function itemFilter(deps: ItemListDeps, input: ItemFilterInput): ItemFilter {
  return {
    words: input.query === undefined ? [] : wordsOf(input.query),
    destination: input.hostnamePathQuery === undefined ? undefined : parseDestination(input.hostnamePathQuery),
    createdBefore: milliseconds(input.createdBefore),
    createdAfter: milliseconds(input.createdAfter),
    domain: input.domain === undefined ? undefined : deps.domains.keyOf(input.domain),
    archived: input.archived,
    expired: input.isExpired === undefined ? undefined : { at: deps.clock.now(), wanted: input.isExpired },
    expires: input.hasExpiration,
    routing: input.hasDynamicRouting,
    tags: input.tags?.map(tagSpelling),
  }
}

export function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000
}

export interface Listed<Item> {
  readonly items: readonly Item[]
  /** The cursor of the next page; undefined on the last page. */
  readonly searchAfter: string | undefined
}

/** Reads the items after a position, newest first. */
type ReadItems<Item> = (after: Position | undefined, size: number) => Promise<Page<Item>>

/** Refuses invalid cursors and page numbers at once; the items are read when the answer is called. */
export function pageReader(
  input: PagingInput,
): <Item extends Position>(read: ReadItems<Item>) => Promise<Listed<Item>> {
  const start = input.searchAfter === undefined ? undefined : positionOf(input.searchAfter)
  const skipped = start ? 0 : itemsBefore(input)
  return async (read) => {
    const after = skipped === 0 ? start : await positionAt(read, skipped)
    if (after === 'end') return { items: [], searchAfter: undefined }
    const { items, more } = await read(after, input.size)
    const last = items.at(-1)
    return { items, searchAfter: more && last ? cursorOf({ at: last.createdAt, id: last.id }) : undefined }
  }
}

/** Items before a page are read and skipped, so page numbers need a limit. */
const pagedItems = 10_000
// SQLite blocks the whole process for a few milliseconds for so many.
const skippedPerRead = 100

function itemsBefore({ page = 1, size }: PagingInput): number {
  if (page * size <= pagedItems) return (page - 1) * size
  const message = `Page numbers reach the first ${pagedItems} entries. Follow pagination.next or send its search_after instead.`
  throw invalid('page', message)
}

/** The position of the last of so many items. */
async function positionAt(read: ReadItems<Position>, count: number): Promise<Position | 'end'> {
  for (let after: Position | undefined, left = count; ; left -= skippedPerRead) {
    const { items, more } = await read(after, Math.min(left, skippedPerRead))
    after = items.at(-1)
    if (!after || !more) return 'end'
    if (left <= skippedPerRead) return after
  }
}

function positionOf(cursor: string): Position {
  const { at, id } = positionIn(cursor)
  return { createdAt: at, id }
}
