import type { WriterMembership } from '../accounts/actor.js'
import { type Domains, domainFor } from '../domains/domains.js'
import { isBackHalf, isKeyword } from '../values/address.js'
import type { KeywordInput } from './keywords.js'
import type { LinkStore } from './link-store.js'

export interface AvailabilityDeps {
  readonly links: Pick<LinkStore, 'get' | 'target'>
  readonly domains: Domains
}

export interface Availability {
  readonly domain: string
  /** Undefined if it is free. */
  readonly reason: 'invalid' | 'reserved' | 'taken' | 'held_by_group' | undefined
  /** The link of the same group that has it. */
  readonly linkId: string | undefined
}

/** Whether a back-half is free at this moment. Only adding it decides: somebody may be faster. */
export async function keywordAvailability(
  deps: AvailabilityDeps,
  { groupGuid }: WriterMembership,
  { keyword = '', domain: wanted }: KeywordInput,
): Promise<Availability> {
  const { key, name: domain } = domainFor(deps, groupGuid, wanted)
  if (!isBackHalf(keyword)) return { domain, reason: 'invalid', linkId: undefined }
  if (!isKeyword(keyword)) return { domain, reason: 'reserved', linkId: undefined }
  const address = `${key}/${keyword}`
  const link = await deps.links.get(address)
  // A deleted link keeps its address; a global hash has no link.
  if (link?.groupGuid === groupGuid && link.deletedAt === undefined) {
    return { domain, reason: 'held_by_group', linkId: link.id }
  }
  const isTaken = link !== undefined || (await deps.links.target(address)) !== undefined
  return { domain, reason: isTaken ? 'taken' : undefined, linkId: undefined }
}
