import type { Link, LinkDraft, Target } from './link.js'

/**
 * Where links live. Every address on every domain (hashes, keywords, global hashes) shares one name space, so that no
 * two things can ever answer at one address. Each method is one atomic step; link-store.contract.ts says what they promise.
 */
export interface LinkStore {
  /**
   * The group's link for this long URL on this domain, or a new one. Racing callers get one link, and only one of
   * them `created`. A hash that is taken is drawn again. The first link to a long URL also makes its global hash.
   */
  findOrInsert(draft: LinkDraft, newHash: () => string): Promise<Shortened>
  /** The group's reusable link for this long URL on this domain. */
  findByLongUrl(groupGuid: string, domain: string, longUrl: string): Promise<Link | undefined>
  /** The link behind an address, be it its hash or one of its keywords; deleted ones too. */
  get(address: string): Promise<Link | undefined>
  /** Where an address leads, for the redirect path; answers for global hashes too. */
  target(address: string): Promise<Target | undefined>
}

export interface Shortened {
  readonly link: Link
  readonly created: boolean
}
