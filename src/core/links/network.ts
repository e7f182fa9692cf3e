/** What others in the caller's groups made: the public links of colleagues, gathered by the page they lead to. */
import type { Actor } from '../accounts/actor.js'
import type { Link } from './link.js'
import type { LinkStore } from './link-store.js'

export interface NetworkDeps {
  readonly links: Pick<LinkStore, 'page'>
}

export interface NetworkEntry {
  readonly longUrl: string
  /** Newest first. */
  readonly saves: readonly Link[]
}

/** Of each group, the newest links that are looked at. */
const newestOfGroup = 200

/** Newest first. Private and archived links, and the caller's own, are left out. */
export async function networkHistory(deps: NetworkDeps, actor: Actor): Promise<readonly NetworkEntry[]> {
  const saves: Link[] = []
  for (const { groupGuid } of actor.groups) {
    const input = { groupGuid, filter: { private: false, archived: false }, after: undefined, size: newestOfGroup }
    const { links } = await deps.links.page(input)
    saves.push(...links.filter((link) => link.createdBy !== actor.login))
  }
  saves.sort((one, other) => other.createdAt - one.createdAt)
  const entries = new Map<string, Link[]>()
  for (const link of saves) entries.set(link.longUrl, [...(entries.get(link.longUrl) ?? []), link])
  return [...entries].map(([longUrl, each]) => ({ longUrl, saves: each }))
}
