/** Lists the custom back-halves of a group: those of its newest link first, and of a link the newest first. */
import { type Actor, requireGroup } from '../accounts/actor.js'
import type { Domains } from '../domains/domains.js'
import type { KeywordEntry, LinkStore, Position } from './link-store.js'

export interface ListKeywordsDeps {
  readonly links: Pick<LinkStore, 'page' | 'currentEntries'>
  readonly domains: Pick<Domains, 'keyOf'>
}

export interface ListKeywordsInput {
  readonly limit: number
  readonly offset: number
  /** Only keywords on one of these; empty: on all. */
  readonly domains: readonly string[]
  /** Only keywords that got their destination at or after this time, in epoch milliseconds. */
  readonly createdAfter: number | undefined
}

/** A keyword and what it points to now. */
export interface ActiveKeyword {
  readonly address: string
  readonly entry: KeywordEntry
}

export async function listKeywords(
  deps: ListKeywordsDeps,
  actor: Actor,
  groupGuid: string,
  { limit, offset, domains, createdAfter = 0 }: ListKeywordsInput,
): Promise<readonly ActiveKeyword[]> {
  requireGroup(actor, groupGuid)
  const keys = new Set(domains.map((name) => deps.domains.keyOf(name)))
  const found: ActiveKeyword[] = []
  let skipped = 0
  for await (const all of addressesOf(deps, groupGuid)) {
    const addresses = keys.size === 0 ? all : all.filter((address) => keys.has(address.slice(0, address.indexOf('/'))))
    const entries = await deps.links.currentEntries(addresses)
    for (const address of addresses) {
      const entry = entries.get(address)
      if (!entry || entry.createdAt < createdAfter) continue
      if (skipped < offset) skipped += 1
      else found.push({ address, entry })
      if (found.length === limit) return found
    }
  }
  return found
}

const linksPerRead = 100

/** Those of some links at a time. */
async function* addressesOf(deps: ListKeywordsDeps, groupGuid: string): AsyncGenerator<readonly string[]> {
  for (let after: Position | undefined, left = true; left; ) {
    const { links, more } = await deps.links.page({ groupGuid, filter: { keywords: true }, after, size: linksPerRead })
    yield links.flatMap(({ keywords }) => keywords)
    after = links.at(-1)
    left = more
  }
}
