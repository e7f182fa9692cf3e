/**
 * Icons of the sites that links lead to, for lists that show them beside each link. They are asked for by links and not by
 * hosts: asking alone tells nobody whether others have links to a site.
 */
import { parseUrl } from '../../lib/parse-url.js'
import type { Domains } from '../domains/domains.js'
import type { SiteIcon, SiteIconStore } from '../titles/site-icon-store.js'
import type { LinkStore } from './link-store.js'
import { addressesNamed } from './named-links.js'

export interface LinkIconsDeps {
  readonly links: Pick<LinkStore, 'linksAt'>
  readonly domains: Domains
  readonly siteIcons: Pick<SiteIconStore, 'find'>
}

/** The caller has checked access to the group; its links alone are looked at. Fetches nothing. */
export async function iconsOfLinks(
  deps: LinkIconsDeps,
  groupGuid: string,
  shortlinks: readonly string[],
): Promise<readonly SiteIcon[]> {
  const links = await deps.links.linksAt(groupGuid, addressesNamed(deps, shortlinks))
  const hosts = new Set([...links.values()].flatMap(({ longUrl }) => parseUrl(longUrl)?.host ?? []))
  return deps.siteIcons.find([...hosts])
}
