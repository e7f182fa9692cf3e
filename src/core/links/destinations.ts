/** The domains that an account's links lead to, and the links that lead to one of them. */
import { type Actor, requireGroup } from '../accounts/actor.js'
import { invalid } from '../values/refusal.js'
import type { Link } from './link.js'
import type { LinkStore } from './link-store.js'
import { parseDestination } from './search.js'

export interface DestinationDeps {
  readonly links: Pick<LinkStore, 'page' | 'hosts'>
}

/** As many links as one report looks at. */
const mostLinks = 10_000
const pageSize = 500

/** Of the newest links, in alphabetical order. */
export async function destinationHosts(deps: DestinationDeps, actor: Actor): Promise<readonly string[]> {
  const { groupGuid } = requireGroup(actor, actor.defaultGroupGuid)
  return deps.links.hosts(groupGuid, mostLinks)
}

/** All that lead to the domain or to a subdomain of it, archived ones too. A report over some of them would be wrong. */
export async function linksTo(deps: DestinationDeps, actor: Actor, domain: string): Promise<readonly Link[]> {
  const { groupGuid } = requireGroup(actor, actor.defaultGroupGuid)
  const destination = parseDestination(domain)
  if (destination.host === '' || destination.path !== '') {
    throw invalid('domain', 'Send a domain name alone.', 'shortlinks')
  }
  const links: Link[] = []
  for (;;) {
    const input = { groupGuid, filter: { destination }, after: links.at(-1), size: pageSize }
    const page = await deps.links.page(input)
    links.push(...page.links)
    if (!page.more) return links
    if (links.length >= mostLinks) {
      throw invalid('domain', `More than ${mostLinks} links lead there. Ask for a subdomain.`, 'shortlinks')
    }
  }
}
