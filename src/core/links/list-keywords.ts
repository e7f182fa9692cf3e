/** Lists the custom back-halves of a group: those of its newest link first, and of a link the newest first. */

import { type Actor, requireGroup } from '../accounts/actor.js'
import type { Domains } from '../domains/domains.js'
import { cursorOf, positionIn } from '../values/cursor.js'
import type { KeywordEntry, LinkStore, Position } from './link-store.js'

export interface ListKeywordsDeps {
  readonly links: Pick<LinkStore, 'page' | 'currentEntries'>
  readonly domains: Pick<Domains, 'keyOf'>
}

export interface ListKeywordsInput {
  readonly limit: number
  readonly offset: number
  /** Only keywords on one of these; empty: on all. */
  /** Continues a list, instead of `offset`: `searchAfter` of the page before. */
  readonly searchAfter: string | undefined
  readonly domains: readonly string[]
  /** Only keywords that got their destination at or after this time, in epoch milliseconds. */
  readonly createdAfter: number | undefined
}

/** A keyword and what it points to now. */
interface ActiveKeyword {
  readonly address: string
  readonly entry: KeywordEntry
}

export interface ListedKeywords {
  readonly keywords: readonly ActiveKeyword[]
  /** Continues the list; undefined at its end. */
  readonly searchAfter: string | undefined
}

export async function listKeywords(
  deps: ListKeywordsDeps,
  actor: Actor,
  groupGuid: string,
  input: ListKeywordsInput,
): Promise<ListedKeywords> {
  requireGroup(actor, groupGuid)
  const { limit, domains, createdAfter = 0, searchAfter } = input
  const after = searchAfter === undefined ? undefined : positionIn(searchAfter)
  // The entry before may be elsewhere now. If it was deleted, the next one has its place.
  let isAfter = after === undefined
  const keys = new Set(domains.map((name) => deps.domains.keyOf(name)))
  const found: ActiveKeyword[] = []
  const offset = after ? 0 : input.offset
  let place = 0
  let last = ''
  for await (const all of addressesOf(deps, groupGuid)) {
    const addresses = keys.size === 0 ? all : all.filter((address) => keys.has(address.slice(0, address.indexOf('/'))))
    const entries = await deps.links.currentEntries(addresses)
    for (const address of addresses) {
      const entry = entries.get(address)
      if (!entry || entry.createdAt < createdAfter) continue
      if (found.length === limit) return { keywords: found, searchAfter: cursorOf({ at: place, id: last }) }
      place += 1
      if (!isAfter) isAfter = encodeURIComponent(address) === after?.id
      else if (place > offset) {
        found.push({ address, entry })
        last = encodeURIComponent(address)
      }
    }
  }
  if (!isAfter && after)
    return listKeywords(deps, actor, groupGuid, { ...input, searchAfter: undefined, offset: after.at - 1 })
  return { keywords: found, searchAfter: undefined }
}

const linksPerRead = 100

/** Those of some links at a time. */
async function* addressesOf(deps: ListKeywordsDeps, groupGuid: string): AsyncGenerator<readonly string[]> {
  for (let after: Position | undefined, left = true; left; ) {
    const { items, more } = await deps.links.page({ groupGuid, filter: { keywords: true }, after, size: linksPerRead })
    yield items.flatMap(({ keywords }) => keywords)
    after = items.at(-1)
    left = more
  }
}
