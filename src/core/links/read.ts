/**
 * Reading links: one's own in full, and anyone's destination. Both take an address as a caller wrote it, so both
 * answer nonsense without troubling the store.
 */
import { type Actor, requireGroup } from '../auth/actor.js'
import type { Clock } from '../clock.js'
import { invalid, Refusal } from '../refusal.js'
import { isBackHalf } from './address.js'
import type { Link, Target } from './link.js'
import type { LinkStore } from './link-store.js'
import { resolve } from './targets.js'

export interface ReadParts {
  readonly links: LinkStore
  readonly clock: Clock
}

/** A link and the address it was asked for by: its hash, or one of its keywords. */
export interface FoundLink {
  readonly link: Link
  readonly address: string
}

/** The link behind an address, for a member of its group. Archived and expired ones are still readable. */
export async function readLink(
  parts: Pick<ReadParts, 'links'>,
  actor: Actor,
  domain: string,
  backHalf: string,
): Promise<FoundLink> {
  const address = addressOf(domain, backHalf)
  const link = address === undefined ? undefined : await parts.links.get(address)
  if (address === undefined || link === undefined) throw notFound()
  // Access before state: a stranger does not learn that a link was deleted.
  requireGroup(actor, link.groupGuid)
  if (link.deletedAt !== undefined) throw gone('deleted')
  return { link, address }
}

/** Where an address leads: links of any account, keywords and global hashes (gaps 2.2). */
export async function expand(parts: ReadParts, shortlinkId: string): Promise<Target> {
  // Our choice: a pasted short URL is understood as its id.
  const [, domain, backHalf] = /^(?:https?:\/\/)?([^/\s]+)\/([^/\s]+)$/i.exec(shortlinkId) ?? []
  if (domain === undefined || backHalf === undefined) {
    throw invalid('shortlinkId', 'Send the short link as <domain>/<hash>.', 'shortlinks')
  }
  const address = addressOf(domain, backHalf)
  const target = address === undefined ? undefined : await parts.links.target(address)
  const resolution = resolve(target ?? null, parts.clock.now())
  if (resolution.outcome === 'missing') throw notFound()
  if (resolution.outcome === 'gone') throw gone(resolution.reason)
  return resolution.target
}

/** Undefined when no address can look like this, whatever the store holds. Domains have no case, back-halves do. */
function addressOf(domain: string, backHalf: string): string | undefined {
  const host = domain.toLowerCase()
  return isBackHalf(backHalf) && /^[a-z0-9.:[\]_-]{1,255}$/.test(host) ? `${host}/${backHalf}` : undefined
}

function notFound(): Refusal {
  return new Refusal('NOT_FOUND', 'There is no such short link.', { resource: 'shortlinks' })
}

function gone(reason: 'deleted' | 'expired'): Refusal {
  const message = reason === 'deleted' ? 'This short link was deleted.' : 'This short link has expired.'
  return new Refusal('GONE', message, { resource: 'shortlinks' })
}
