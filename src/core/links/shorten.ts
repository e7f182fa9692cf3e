import { type Actor, requireWriter } from '../accounts/actor.js'
import { type DnsCheck, requireDns } from '../domains/dns-check.js'
import { type Domains, domainFor } from '../domains/domains.js'
import { type Titles, wantTitle } from '../titles/titles.js'
import type { DrawHash } from '../values/address.js'
import type { Clock } from '../values/clock.js'
import { normaliseLongUrl } from '../values/long-url.js'
import type { LinkStore, Shortened } from './link-store.js'
import { type NewLinkDeps, requireRoomForLink } from './new-link-allowance.js'

export interface ShortenDeps extends NewLinkDeps {
  readonly links: Pick<LinkStore, 'findOrInsert' | 'findByLongUrl'>
  readonly domains: Domains
  readonly dns: DnsCheck
  readonly titles: Pick<Titles, 'want'>
  readonly clock: Clock
  readonly newHash: DrawHash
}

export interface ShortenInput {
  readonly longUrl: string
  readonly domain: string | undefined
  readonly groupGuid: string | undefined
  /** Make a new link even if the group has one for this URL. */
  readonly forceNewLink?: boolean | undefined
}

export interface NewLink extends Shortened {
  /** The DNS of its domain was right not long ago, and is not any more: what is wrong, for people. */
  readonly dnsWarning: string | undefined
}

/** One link for one long URL in one group on one domain: known ones are answered, new ones are made. */
export async function shorten(deps: ShortenDeps, actor: Actor, input: ShortenInput): Promise<NewLink> {
  const { groupGuid, organizationGuid } = requireWriter(actor, input.groupGuid ?? actor.defaultGroupGuid)
  const longUrl = normaliseLongUrl(input.longUrl, deps.domains)
  const domain = domainFor(deps, groupGuid, input.domain)
  const draft = {
    groupGuid,
    organizationGuid,
    domain: domain.key,
    branded: domain.branded,
    longUrl,
    createdBy: actor.login,
    clientId: actor.clientId,
    at: deps.clock.now(),
    forceNew: input.forceNewLink === true,
  }
  if (deps.plans.limitsOf(organizationGuid)) await requireRoomForLink(deps, draft)
  // Most links live on built-in domains, and to wait for nothing takes them a while too.
  const dnsWarning = domain.branded ? await requireDns(deps, domain) : undefined
  const { link, created } = wantTitle(deps, await deps.links.findOrInsert(draft, deps.newHash))
  return { link, created, dnsWarning }
}
