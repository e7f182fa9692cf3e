/** Where a page of a list begins: after the cursor `search_after`, or at the page number that older clients send. */
import { cursorOf as cursorAt, positionIn } from '../values/cursor.js'
import { invalid } from '../values/refusal.js'
import type { Position } from './link-store.js'

export interface PagingInput {
  readonly size: number
  readonly searchAfter: string | undefined
  /** From 1; older clients send it instead of the cursor, which wins. */
  readonly page?: number | undefined
}

/** Reads the items after a position, newest first. */
type ReadItems = (
  after: Position | undefined,
  size: number,
) => Promise<{ readonly items: readonly Position[]; readonly more: boolean }>

/** Finds the last item before the page: undefined for the first page, `end` when no item follows it. */
type FindStart = (read: ReadItems) => Promise<Position | undefined | 'end'>

/** Refuses invalid cursors and page numbers at once; the items before a page are read when it is called. */
export function pageStart(input: PagingInput): FindStart {
  if (input.searchAfter !== undefined) {
    const cursor = positionOf(input.searchAfter)
    return async () => cursor
  }
  const skipped = itemsBefore(input)
  return async (read) => (skipped === 0 ? undefined : positionAt(read, skipped))
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
async function positionAt(read: ReadItems, count: number): Promise<Position | 'end'> {
  for (let after: Position | undefined, left = count; ; left -= skippedPerRead) {
    const { items, more } = await read(after, Math.min(left, skippedPerRead))
    after = items.at(-1)
    if (!after || !more) return 'end'
    if (left <= skippedPerRead) return after
  }
}

export function cursorOf({ createdAt, id }: Position): string {
  return cursorAt({ at: createdAt, id })
}

function positionOf(cursor: string): Position {
  const { at, id } = positionIn(cursor)
  return { createdAt: at, id }
}
