/** Sites as a whole: made, moved, published, taken away (docs/api/sites.md). Blocks are in blocks.ts. */
import { type Actor, requireWriter, type WriterMembership } from '../accounts/actor.js'
import { type AuditDeps, addAuditEntry } from '../accounts/audit.js'
import { type DnsCheck, requireDns } from '../domains/dns-check.js'
import type { Domains } from '../domains/domains.js'
import { type PlanCheckDeps, requireFeature } from '../limits/plans.js'
import type { RedirectCache } from '../links/redirect-cache.js'
import { cursorOf, positionIn } from '../values/cursor.js'
import { newGuid } from '../values/guid.js'
import type { DrawHash } from '../values/random.js'
import { invalid, Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import { type AppearanceInput, readAppearance, withCrops } from './appearance.js'
import { type ContentDeps, readLine, readText } from './content.js'
import { requireReadable, requireReadableTexts } from './contrast.js'
import { type Place, type PlaceInput, placeTaken, readPlace, splitUri } from './place.js'
import { siteNotFound } from './read.js'
import { addressesOf, emptyDocument, isTooLarge, maxLinks, type Site, type SiteDocument } from './site.js'
import type { SiteChanged, SiteStore } from './site-store.js'

export interface SiteDeps extends AuditDeps, PlanCheckDeps {
  readonly sites: SiteStore
  readonly images: ContentDeps['images']
  readonly domains: Domains
  readonly dns: DnsCheck
  readonly redirectCache: Pick<RedirectCache, 'forget'>
  readonly clock: Clock
  readonly newHash: DrawHash
  readonly config: { readonly baseUrl: string }
}

export const maxDescription = 2000

export async function createSite(
  deps: SiteDeps,
  actor: Actor,
  group: WriterMembership,
  input: PlaceInput,
): Promise<Site> {
  const place = readPlace(deps, group.groupGuid, input)
  return makeSite(deps, actor, group, place, emptyDocument)
}

export async function makeSite(
  deps: SiteDeps,
  actor: Actor,
  { groupGuid, organizationGuid }: WriterMembership,
  place: Place,
  document: SiteDocument,
): Promise<Site> {
  requireFeature(deps, organizationGuid, 'sites', 'sites')
  const { domain, address } = place
  if (domain.branded) await requireDns(deps, domain)
  const link = {
    groupGuid,
    organizationGuid,
    domain: domain.key,
    branded: domain.branded,
    longUrl: deps.domains.urlOf(address, deps.config.baseUrl),
    createdBy: actor.login,
    clientId: actor.clientId,
    at: deps.clock.now(),
  }
  const created = await deps.sites.create({ guid: newGuid('site'), address, document, link }, deps.newHash)
  if (created.outcome === 'taken') throw placeTaken(place, groupGuid, created.holder)
  const site = done(created)
  // An earlier visit may have cached that there is nothing.
  forgetAddresses(deps, site)
  await note(deps, actor, 'site_created', site)
  return site
}

export interface ListSitesInput {
  readonly size: number
  readonly searchAfter: string | undefined
  /** The URL of a site. */
  readonly url: string | undefined
}

export interface ListedSites {
  readonly sites: readonly Site[]
  readonly searchAfter: string | undefined
}

export async function listSites(
  { sites, domains }: Pick<SiteDeps, 'sites' | 'domains'>,
  groupGuid: string,
  { size, searchAfter, url }: ListSitesInput,
): Promise<ListedSites> {
  const position = searchAfter === undefined ? undefined : positionIn(searchAfter, 'sites')
  const after = position && { createdAt: position.at, guid: position.id }
  const found = await sites.page({ groupGuid, after, size: size + 1, address: url && addressIn(domains, url) })
  const page = found.slice(0, size)
  const last = found.length > size ? page.at(-1) : undefined
  return { sites: page, searchAfter: last && cursorOf({ at: last.createdAt, id: last.guid }) }
}

function addressIn(domains: Domains, url: string): string {
  const { host = '', path = '' } = splitUri(url) ?? {}
  return `${domains.named(host)?.key ?? ''}/${path}`
}

export interface UpdateSiteInput {
  readonly uri?: string | undefined
  readonly displayName?: string | undefined
  readonly description?: string | undefined
  /** An empty text removes it. */
  readonly qrCodeId?: string | undefined
}

export async function updateSite(deps: SiteDeps, actor: Actor, site: Site, input: UpdateSiteInput): Promise<Site> {
  const { guid, groupGuid } = site
  const place = input.uri === undefined ? undefined : readPlace(deps, groupGuid, { uri: input.uri })
  const displayName = input.displayName === undefined ? undefined : readLine(input.displayName, 'displayName')
  const description =
    input.description === undefined ? undefined : readText(input.description, 'description', maxDescription)
  if (place?.domain.branded && place.address !== site.address) await requireDns(deps, place.domain)
  const change = {
    displayName,
    description,
    qrCodeId: input.qrCodeId === '' ? null : input.qrCodeId,
    place: place && { address: place.address, url: deps.domains.urlOf(place.address, deps.config.baseUrl) },
  }
  const context = { login: actor.login, clientId: actor.clientId, at: deps.clock.now() }
  const updated = await deps.sites.update(guid, change, context)
  if (updated.outcome === 'no-code')
    throw invalid(
      'qrCodeId',
      'The site has no such QR code. Make one with POST /v4/qr-codes and destination.site_id.',
      'sites',
    )
  if (updated.outcome === 'taken') {
    throw place ? placeTaken(place, groupGuid, updated.holder) : siteNotFound()
  }
  const changed = done(updated)
  if (place) forgetAddresses(deps, changed)
  const from = { from: deps.domains.shown(site.address) }
  if (place && place.address !== site.address) await note(deps, actor, 'site_moved', changed, from)
  return changed
}

export async function changeAppearance(
  deps: SiteDeps,
  actor: Actor,
  { guid, groupGuid }: Site,
  input: AppearanceInput,
): Promise<Site> {
  const appearance = await readAppearance(deps, requireWriter(actor, groupGuid).organizationGuid, input)
  requireReadable(appearance)
  const step = (draft: SiteDocument) => {
    const next = { ...draft, appearance: withCrops(appearance, draft.appearance.crops) }
    requireReadableTexts(next, 'textColor')
    return next
  }
  return done(await deps.sites.change(guid, step, deps.clock.now()))
}

export async function publishSite(deps: SiteDeps, actor: Actor, { guid, groupGuid }: Site): Promise<Site> {
  requireFeature(deps, requireWriter(actor, groupGuid).organizationGuid, 'sites', 'sites')
  const published = await deps.sites.publish(guid, deps.clock.now())
  if (published === 'missing') throw siteNotFound()
  if (published === 'no-link') {
    throw new Refusal('NOT_FOUND', 'The site was forgotten: its addresses lead nowhere for good.', {
      resource: 'sites',
    })
  }
  if (published === 'no-domain') {
    const message = 'The group may not use the domain of the site any more. Give the site another uri first.'
    throw new Refusal('INVALID_ARG_DOMAIN', message, { field: 'uri', resource: 'sites' })
  }
  forgetAddresses(deps, published)
  await note(deps, actor, 'site_published', published)
  return published
}

export async function discardDraft(deps: SiteDeps, actor: Actor, site: Site): Promise<void> {
  requireWriter(actor, site.groupGuid)
  const outcome = await deps.sites.discard(site.guid, deps.clock.now())
  if (outcome === 'missing') throw siteNotFound()
  if (outcome === 'discarded') return
  const message = 'The site was never published: there is no version to go back to.'
  throw new Refusal('UNPROCESSABLE_ENTITY', message, { resource: 'sites' })
}

/** Its addresses lead nowhere until it is published again. */
export async function removeSite(deps: SiteDeps, actor: Actor, site: Site): Promise<void> {
  requireWriter(actor, site.groupGuid)
  const removed = await deps.sites.deactivate(site.guid, deps.clock.now())
  if (!removed) throw siteNotFound()
  // As it is now: it may have moved since it was read.
  forgetAddresses(deps, removed)
  await note(deps, actor, 'site_deleted', removed)
}

/** The former address leads nowhere from now on, and nobody else gets it. */
export async function removeRedirect(
  deps: SiteDeps,
  actor: Actor,
  { guid, groupGuid }: Site,
  { domain, keyword }: { readonly domain: string; readonly keyword: string },
): Promise<Site | undefined> {
  requireWriter(actor, groupGuid)
  const address = `${deps.domains.keyOf(domain)}/${keyword}`
  if (!(await deps.sites.removeRedirect(guid, address, deps.clock.now()))) {
    throw new Refusal('NOT_FOUND', 'The site has no such redirect.', { resource: 'sites' })
  }
  deps.redirectCache.forget(address)
  return deps.sites.get(guid)
}

/** What a change of the draft came to. */
export function done(changed: SiteChanged): Site {
  if (changed.outcome === 'done') return changed.site
  if (changed.outcome === 'too-large') throw tooLarge()
  throw changed.outcome === 'no-image' ? imageGone() : siteNotFound()
}

/** Throws unless the store would save it, as far as its size is concerned. */
export function requireFitting(document: SiteDocument): void {
  if (isTooLarge(document)) throw tooLarge()
}

function tooLarge(): Refusal {
  const message = `A site has at most 512 kB of texts and other contents, and ${maxLinks} short links. Delete some first.`
  return invalid('content', message, 'sites')
}

/** It was there a moment ago. */
function imageGone(): Refusal {
  return invalid('imageGuid', 'The image was deleted meanwhile. Choose another.', 'sites')
}

export function forgetAddresses({ redirectCache }: Pick<SiteDeps, 'redirectCache'>, site: Site): void {
  for (const address of addressesOf(site)) redirectCache.forget(address)
}

function note(
  deps: SiteDeps,
  actor: Actor,
  action: 'site_created' | 'site_moved' | 'site_published' | 'site_deleted',
  { guid, groupGuid, address }: Site,
  details: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { organizationGuid } = requireWriter(actor, groupGuid)
  const { login } = actor
  const uri = deps.domains.shown(address)
  return addAuditEntry(deps, { action, login, organizationGuid, subject: guid, details: { uri, ...details } })
}
