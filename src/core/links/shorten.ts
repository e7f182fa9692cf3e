import { type Actor, requireWriter } from '../auth/actor.js'
import type { Clock } from '../clock.js'
import { type Domains, domainFor } from '../domains/domains.js'
import type { LinkStore, Shortened } from './link-store.js'
import { normaliseLongUrl } from './long-url.js'

export interface ShortenParts {
  readonly links: LinkStore
  readonly domains: Domains
  readonly clock: Clock
  readonly newHash: () => string
}

export interface ShortenWish {
  readonly longUrl: string
  readonly domain: string | undefined
  readonly groupGuid: string | undefined
}

/** One link for one long URL in one group on one domain: known ones are answered, new ones are made. */
export async function shorten(parts: ShortenParts, actor: Actor, wish: ShortenWish): Promise<Shortened> {
  const { groupGuid } = requireWriter(actor, wish.groupGuid ?? actor.defaultGroupGuid)
  const longUrl = normaliseLongUrl(wish.longUrl, parts.domains.builtIn)
  const domain = domainFor(parts.domains, wish.domain)
  const draft = {
    groupGuid,
    domain: domain.name,
    longUrl,
    createdBy: actor.login,
    clientId: actor.clientId,
    at: parts.clock.now(),
  }
  return parts.links.findOrInsert(draft, parts.newHash)
}
