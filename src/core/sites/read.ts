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
  readonly links: Pick<LinkStore, 'withIds'>
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

/**
 * A change with If-Match asks within its transaction, which other connections do not see: not with `linksAt`, which the
 * list thread may read on its own.
 */
export async function withLinks({ links }: Pick<ReadSiteDeps, 'links'>, site: Site): Promise<SeenSite> {
  const found = await links.withIds([...usesOf(site.draft).links.keys()])
  const shown = found.filter(
    (each) => each.groupGuid === site.groupGuid && !each.hidden && each.deletedAt === undefined,
  )
  return { site, links: new Map(shown.map((each) => [each.id, each])) }
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
