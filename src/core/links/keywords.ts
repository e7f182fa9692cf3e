/**
 * Keywords (custom back-halves): add one to a link, move it to another link, read its history. Keywords work on all
 * domains; a keyword on a branded domain is a custom short link, and only those can be moved.
 */
import { type Actor, requireGroup, requireWriter } from '../accounts/actor.js'
import { type Domain, type Domains, domainFor } from '../domains/domains.js'
import { type AllowanceDeps, requireAllowance, requireFeature } from '../limits/plans.js'
import { parseAddress, type WrittenAddress } from '../values/address.js'
import { invalid, Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { Link } from './link.js'
import { readKeyword } from './link-fields.js'
import type { KeywordHolder, KeywordRecord, LinkStore } from './link-store.js'
import { namedLink, notFound } from './read.js'
import type { RedirectCache } from './redirect-cache.js'

export interface KeywordDeps extends AllowanceDeps {
  readonly links: LinkStore
  readonly domains: Domains
  readonly redirectCache: Pick<RedirectCache, 'forget'>
  readonly clock: Clock
}

type FindKeywordDeps = Pick<KeywordDeps, 'links' | 'domains'>

export interface KeywordPlace {
  readonly domain: string
  readonly keyword: string
}

export interface KeywordInput {
  readonly keyword: string | undefined
  readonly domain?: string | undefined
}

/** Adds a keyword to a link, on the link's own domain (docs/api/custom-links.md#adding). */
export async function addKeyword(deps: KeywordDeps, actor: Actor, link: Link, input: KeywordInput): Promise<Link> {
  if (input.keyword === undefined) throw invalid('keyword', 'Send the back-half to add as keyword.', 'shortlinks')
  const keyword = readKeyword(input.keyword)
  const domain = domainFor(deps, link.groupGuid, input.domain ?? deps.domains.nameOf(link.domain))
  const record = await add(deps, actor, domain, keyword, link)
  return record.link
}

/** Like `addKeyword`, for a whole custom short link `<domain>/<keyword>`. */
export async function addCustomShortlink(
  deps: KeywordDeps,
  actor: Actor,
  link: Link,
  customShortlink: string,
): Promise<KeywordRecord> {
  const written = parseAddress(customShortlink)
  if (!written) {
    throw invalid('customShortlink', 'Send the custom short link as <domain>/<keyword>.', 'shortlinks')
  }
  const keyword = readKeyword(written.backHalf, 'customShortlink')
  const domain = domainFor(deps, link.groupGuid, written.domain, 'customShortlink')
  requireBranded(domain)
  return add(deps, actor, domain, keyword, link)
}

/** Points a custom short link at another link of its domain, in any group that the actor may write to. */
export async function moveKeyword(
  deps: KeywordDeps,
  actor: Actor,
  record: KeywordRecord,
  shortlinkId: string,
): Promise<KeywordRecord> {
  requireWriter(actor, record.link.groupGuid)
  const domain = deps.domains.named(deps.domains.nameOf(record.link.domain))
  if (!domain) throw removedDomain()
  requireBranded(domain)
  const link = await namedLink(deps, actor, shortlinkId)
  requireSameDomain(deps, domain, link)
  requireCustomLinks(deps, actor, link)
  if (record.link.id === link.id) return record

  const outcome = await deps.links.moveKeyword(record.address, link.id, { login: actor.login, at: deps.clock.now() })
  if (outcome !== 'moved') throw notFound()
  deps.redirectCache.forget(record.address)
  return found(await deps.links.getKeyword(record.address))
}

/** A custom short link with its current and former destinations. */
export async function readCustomShortlink(
  deps: FindKeywordDeps & Pick<KeywordDeps, 'plans'>,
  actor: Actor,
  place: KeywordPlace,
): Promise<KeywordRecord> {
  const record = await findCustomShortlink(deps, actor, place)
  if (isCustomShortlink(deps, record.address, record.link)) requireCustomLinks(deps, actor, record.link)
  return record
}

/** Like `readCustomShortlink`, without the plan check: callers validate their arguments before it. */
export async function findCustomShortlink(
  deps: FindKeywordDeps,
  actor: Actor,
  place: KeywordPlace,
): Promise<KeywordRecord> {
  const record = await find(deps, place)
  requireGroup(actor, record.link.groupGuid)
  if (!deps.domains.named(place.domain)) throw removedDomain()
  return record
}

/** The keyword, for an actor who may move it. */
export async function writableKeyword(
  deps: FindKeywordDeps,
  actor: Actor,
  place: KeywordPlace,
): Promise<KeywordRecord> {
  const record = await find(deps, place)
  requireWriter(actor, record.link.groupGuid)
  return record
}

async function add(
  deps: KeywordDeps,
  actor: Actor,
  domain: Domain,
  keyword: string,
  link: Link,
): Promise<KeywordRecord> {
  requireSameDomain(deps, domain, link)
  if (domain.branded) requireCustomLinks(deps, actor, link)
  const address = `${domain.key}/${keyword}`
  // A keyword that the link already has spends no allowance. The store decides races.
  const known = await deps.links.getKeyword(address)
  if (known?.link.id === link.id) return known
  await requireAllowance(deps, requireWriter(actor, link.groupGuid).organizationGuid, ['custom_back_halves'])
  const added = await deps.links.addKeyword(address, link.id, { login: actor.login, at: deps.clock.now() })
  if (added.outcome === 'no-link') throw notFound()
  if (added.outcome === 'taken') throw keywordTaken(domain, link.groupGuid, added.holder)
  // An earlier visit may have cached that this address does not exist.
  deps.redirectCache.forget(address)
  return found(await deps.links.getKeyword(address))
}

/** The error code depends on the domain and the holder (docs/api/custom-links.md#taken-back-halves). */
export function keywordTaken(domain: Domain, groupGuid: string, holder: KeywordHolder): Refusal {
  const message = `This back-half is taken on ${domain.name}. Choose another.`
  if (!domain.branded) return new Refusal('FORBIDDEN', message, { resource: 'shortlinks' })
  if (holder.groupGuid !== groupGuid) {
    const elsewhere = `Another group uses this back-half on ${domain.name}. Choose another, or send that group's guid.`
    return invalid('groupGuid', elsewhere, 'shortlinks')
  }
  return new Refusal('KEYWORD_UNAVAILABLE', message, { resource: 'shortlinks' })
}

/** Whether the address is a keyword on a branded domain, including removed domains. */
export function isCustomShortlink(
  { domains }: Pick<KeywordDeps, 'domains'>,
  address: string,
  link: Pick<Link, 'id' | 'domain'>,
): boolean {
  return address !== link.id && (domains.named(domains.nameOf(link.domain))?.branded ?? true)
}

function requireCustomLinks(deps: Pick<KeywordDeps, 'plans'>, actor: Actor, link: Link): void {
  requireFeature(deps, requireGroup(actor, link.groupGuid).organizationGuid, 'custom_links')
}

async function find(deps: FindKeywordDeps, { domain, keyword }: KeywordPlace): Promise<KeywordRecord> {
  const address = deps.domains.addressOf(domain, keyword)
  const record = address === undefined ? undefined : await deps.links.getKeyword(address)
  // The address of a site is no custom short link.
  return found(record?.link.siteGuid === undefined ? record : undefined)
}

function found(record: KeywordRecord | undefined): KeywordRecord {
  if (record) return record
  throw new Refusal('NOT_FOUND', 'There is no such custom short link.', { resource: 'shortlinks' })
}

function requireBranded(domain: Domain): void {
  if (domain.branded) return
  const message =
    `Custom short links need a branded domain, and ${domain.name} is built in. ` +
    'For a built-in domain, send keyword and shortlink_id to /v4/shortlinks.'
  throw new Refusal('INVALID_ARG_DOMAIN', message, { resource: 'shortlinks', field: 'customShortlink' })
}

function requireSameDomain({ domains }: Pick<KeywordDeps, 'domains'>, domain: Domain, link: Link): void {
  if (domain.key === link.domain) return
  const message = `The short link is on ${domains.nameOf(link.domain)}. Its custom back-halves must be on the same domain, not on ${domain.name}.`
  throw new Refusal('UNPROCESSABLE_ENTITY', message, { resource: 'shortlinks' })
}

function removedDomain(): Refusal {
  return new Refusal('GONE', 'The domain of this custom short link was removed.', { resource: 'shortlinks' })
}

export interface SaveKeywordInput extends WrittenAddress {
  readonly shortlinkId: string
  /** Move the keyword if another link has it. */
  readonly overwrite: boolean
}

export interface SavedKeyword {
  readonly link: Link
  /** The keyword did not exist before. */
  readonly created: boolean
}

/** Adds a keyword, or moves it from another link. The lookup is only a fast path: the store settles races for one keyword. */
export async function saveKeyword(deps: KeywordDeps, actor: Actor, input: SaveKeywordInput): Promise<SavedKeyword> {
  const { domain, backHalf: keyword, shortlinkId, overwrite } = input
  const link = await namedLink(deps, actor, shortlinkId)
  const address = deps.domains.addressOf(domain, keyword)
  const held = address === undefined ? undefined : await deps.links.getKeyword(address)
  if (held?.link.id === link.id) return { link: held.link, created: false }
  if (!held || !overwrite) {
    return { link: await addKeyword(deps, actor, link, { keyword, domain }), created: true }
  }
  const moved = await moveKeyword(deps, actor, held, shortlinkId)
  return { link: moved.link, created: false }
}
