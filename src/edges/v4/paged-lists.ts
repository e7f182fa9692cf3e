/**
 * Lists that answer everything, unless `size` is sent (docs/api/README.md#pagination): what their schemas have in common,
 * and one page of an answer. A route names its list, and `route()` does the rest.
 */
import type { FastifySchema } from 'fastify'
import { Type } from 'typebox'
import { cursorOf, positionIn } from '../../core/values/cursor.js'
import { refusals } from './schemas/error.js'
import { defaultSize, Pagination, pageFields, pagination } from './schemas/lists.js'

export interface PagedList {
  /** Field of the answer. */
  readonly name: string
  /** Field that differs in all entries; undefined if they are texts. */
  readonly by: string | undefined
}

export function pagedSchema(schema: FastifySchema): FastifySchema {
  const { 200: whole, ...others } = Object(schema.response)
  const part = { ...Pagination, description: 'Only if `size` was sent' }
  return {
    ...schema,
    querystring: Type.Object({
      ...Object(schema.querystring).properties,
      ...pageFields('Entries per page; by default all are answered'),
    }),
    response: {
      200: { ...whole, properties: { ...whole.properties, pagination: part } },
      ...refusals(400),
      ...others,
    },
  }
}

interface PageQuery {
  readonly size?: number
  readonly search_after?: string
}

type Answer = Readonly<Record<string, unknown>>

/** The whole answer if no page was asked for. */
export function pageOf(answer: Answer, { name, by }: PagedList, query: PageQuery, url: string): Answer {
  const { search_after: cursor, size = cursor === undefined ? undefined : defaultSize } = query
  const all = answer[name]
  if (size === undefined || !Array.isArray(all)) return answer
  // Ids in cursors have no spaces, and tags may have some.
  const keyOf = (entry: unknown) =>
    encodeURIComponent(String(by === undefined ? entry : Reflect.get(Object(entry), by)))
  const from = cursor === undefined ? 0 : after(all.map(keyOf), cursor)
  const page = all.slice(from, from + size)
  const next = from + page.length
  const isLast = next >= all.length
  return {
    ...answer,
    [name]: page,
    pagination: pagination(url, isLast ? undefined : cursorOf({ at: next, id: keyOf(page.at(-1)) }), size),
  }
}

/** After the last entry of the previous page, wherever it is now; if it was deleted, where it was. */
function after(keys: readonly string[], cursor: string): number {
  const { at, id } = positionIn(cursor)
  // Two organizations may wait for the same domain.
  if (keys[at - 1] === id) return at
  const found = keys.indexOf(id)
  return found >= 0 ? found + 1 : Math.max(0, at - 1)
}
