/** Finding a site, with what its blocks lead to. */
import { type Actor, requireGroup, requireWriter } from '../accounts/actor.js'
import type { Link } from '../links/link.js'
import type { LinkStore } from '../links/link-store.js'
import { isGuid } from '../values/guid.js'
import { Refusal } from '../values/refusal.js'
import { type Site, type SiteDocument, usesOf } from './site.js'
import type { SiteStore } from './site-store.js'

export interface ReadSiteDeps {
  readonly sites: Pick<SiteStore, 'get'>
  readonly links: Pick<LinkStore, 'linksAt'>
}

/** A site as its owners see it. */
export interface SeenSite {
  readonly site: Site
  /** The links behind the blocks of the draft, by id. Deleted ones are not among them. */
  readonly links: ReadonlyMap<string, Link>
}

export async function readSite(deps: ReadSiteDeps, actor: Actor, guid: string): Promise<SeenSite> {
  const site = await findSite(deps, guid)
  requireGroup(actor, site.groupGuid)
  return withLinks(deps, site)
}

export async function writableSite(deps: ReadSiteDeps, actor: Actor, guid: string): Promise<SeenSite> {
  const site = await findSite(deps, guid)
  requireWriter(actor, site.groupGuid)
  return withLinks(deps, site)
}

export async function withLinks({ links }: Pick<ReadSiteDeps, 'links'>, site: Site): Promise<SeenSite> {
  const ids = [...usesOf(site.draft).links.keys()]
  return { site, links: ids.length === 0 ? new Map() : await links.linksAt(site.groupGuid, ids) }
}

async function findSite({ sites }: Pick<ReadSiteDeps, 'sites'>, guid: string): Promise<Site> {
  const site = isGuid(guid) ? await sites.get(guid) : undefined
  if (!site) throw siteNotFound()
  return site
}

/** What visitors see. */
export function publishedDocument({ live }: Site): SiteDocument {
  if (live) return live
  throw new Refusal('NOT_FOUND', 'The site was never published.', { resource: 'sites' })
}

export function siteNotFound(): Refusal {
  return new Refusal('NOT_FOUND', 'There is no such site.', { resource: 'sites' })
}
