/**
 * Finds links by the address a caller sent: the caller's own links in full, and the destination of any link. Malformed
 * addresses are refused without a store query.
 */
import { type Actor, requireGroup, requireWriter } from '../accounts/actor.js'
import type { Domains } from '../domains/domains.js'
import { parseAddress, type WrittenAddress } from '../values/address.js'
import { invalid, Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { Link, Target } from './link.js'
import type { LinkStore } from './link-store.js'
import { type Resolution, resolve } from './redirect-cache.js'

export interface ReadDeps {
  readonly links: Pick<LinkStore, 'get' | 'target'>
  readonly domains: Domains
  readonly clock: Clock
}

export type FindDeps = Pick<ReadDeps, 'links' | 'domains'>

/** A link and the address it was found by: its hash or a keyword. */
export interface FoundLink {
  readonly link: Link
  readonly address: string
}

/** The link at an address, for a member of its group. Archived and expired links are readable. */
export async function readLink(deps: FindDeps, actor: Actor, domain: string, backHalf: string): Promise<FoundLink> {
  const found = await findLink(deps, domain, backHalf)
  // Check access first: outsiders must not learn that a link was deleted.
  requireGroup(actor, found.link.groupGuid)
  return usable(found)
}

/** Like `readLink`, for an actor who may change the link. */
export async function writableAddress(
  deps: FindDeps,
  actor: Actor,
  domain: string,
  backHalf: string,
): Promise<FoundLink> {
  const found = await findLink(deps, domain, backHalf)
  requireWriter(actor, found.link.groupGuid)
  return usable(found)
}

/** The link alone. */
export async function writableLink(deps: FindDeps, actor: Actor, domain: string, backHalf: string): Promise<Link> {
  return (await writableAddress(deps, actor, domain, backHalf)).link
}

/** Like `writableLink`, for operations that document no 410: a deleted link is a 404. */
export async function removableLink(deps: FindDeps, actor: Actor, domain: string, backHalf: string): Promise<Link> {
  const found = await findLink(deps, domain, backHalf)
  requireWriter(actor, found.link.groupGuid)
  if (found.link.deletedAt !== undefined) throw notFound()
  return usable(found).link
}

/** Like `removableLink`, for a link that is named in the request body. */
export async function namedLink(deps: FindDeps, actor: Actor, shortlinkId: string): Promise<Link> {
  const { domain, backHalf } = parseShortlinkId(shortlinkId)
  return removableLink(deps, actor, domain, backHalf)
}

/** Like `writableAddress`, for a link that is named in the request body. */
export async function namedAddress(
  deps: FindDeps,
  actor: Actor,
  shortlinkId: string,
  field: string,
): Promise<FoundLink> {
  const { domain, backHalf } = parseShortlinkId(shortlinkId, field)
  return writableAddress(deps, actor, domain, backHalf)
}

/** The target of any account's link, keyword or global hash. */
export async function expand(deps: ReadDeps, shortlinkId: string): Promise<Target> {
  const { domain, backHalf } = parseShortlinkId(shortlinkId)
  const resolution = await resolveWritten(deps, { domain, backHalf })
  if (resolution.outcome === 'missing') throw notFound()
  if (resolution.outcome === 'gone') throw gone(resolution.reason)
  return resolution.target
}

/** Resolves an address that a caller sent. Addresses on a removed domain are missing, as for visitors. */
export async function resolveWritten(deps: ReadDeps, { domain, backHalf }: WrittenAddress): Promise<Resolution> {
  const address = deps.domains.named(domain) && deps.domains.addressOf(domain, backHalf)
  const target = address === undefined ? undefined : await deps.links.target(address)
  return resolve(target ?? null, deps.clock.now())
}

/** A link of any group, deleted or not. */
async function findLink(deps: FindDeps, domain: string, backHalf: string): Promise<FoundLink> {
  const address = deps.domains.addressOf(domain, backHalf)
  const link = address === undefined ? undefined : await deps.links.get(address)
  if (address === undefined || link === undefined) throw notFound()
  return { link, address }
}

export function notFound(): Refusal {
  return new Refusal('NOT_FOUND', 'This short link does not exist.', { resource: 'shortlinks' })
}

export function gone(reason: 'deleted' | 'expired'): Refusal {
  const message = reason === 'deleted' ? 'This short link was deleted.' : 'This short link has expired.'
  return new Refusal('GONE', message, { resource: 'shortlinks' })
}

function usable(found: FoundLink): FoundLink {
  const { deletedAt, hidden, qrCodeIds, siteGuid } = found.link
  if (deletedAt !== undefined) throw gone('deleted')
  if (!hidden) return found
  if (siteGuid !== undefined) {
    throw new Refusal('NOT_FOUND', `This is the address of the site ${siteGuid}.`, { resource: 'shortlinks' })
  }
  const [code = ''] = qrCodeIds
  const message = `This is the address of the QR code ${code}. PUT /v4/qr-codes/${code}/to-shortlink makes it a short link.`
  throw new Refusal('NOT_FOUND', message, { resource: 'shortlinks' })
}

export function parseShortlinkId(shortlinkId: string, field = 'shortlinkId') {
  const parsed = parseAddress(shortlinkId)
  if (!parsed) throw invalid(field, 'Send the short link as <domain>/<hash>.')
  return parsed
}
