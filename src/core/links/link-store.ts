import type { DrawHash } from '../values/address.js'
import type { ChangeContext, Link, LinkChange, LinkDetails, LinkDraft, Target } from './link.js'

/**
 * Where links live. Every address on every domain (hashes, keywords, global hashes) shares one name space, so that no
 * two things can ever answer at one address. Each method is one atomic step; link-store.contract.ts says what they promise.
 */
export interface LinkStore {
  /**
   * The group's link for this long URL on this domain, or a new one. Racing callers get one link, and only one of
   * them `created`. A hash that is taken is drawn again. A known link that was archived is archived no more.
   */
  findOrInsert(draft: LinkDraft, newHash: DrawHash): Promise<Shortened>
  /**
   * Like `findOrInsert`, with details for a new link; a known one gets the title and the tags, beside those it has, unless
   * it is to be kept. All or nothing: when the keyword is taken or there is no room for the tags, nothing changes. A link that expires, or that does not lead
   * everybody to its long URL, is not reused.
   */
  create(draft: LinkDraft, details: LinkDetails, newHash: DrawHash): Promise<Created>
  /**
   * Changes a link, all or nothing, and counts a redirect if the change is one. A new long URL makes the link edited and never reused again, and goes into the
   * history of the link's keywords. `foreign-deeplink`: the guid of a deep link is another link's.
   */
  update(id: string, change: LinkChange, context: ChangeContext): Promise<Updated>
  /**
   * Deletes a link that was never edited. Its address is taken for ever, its tags are free, and shortening its long
   * URL again makes another link. `missing`: there is none, or it was deleted before.
   */
  remove(id: string, at: number): Promise<'removed' | 'edited' | 'missing'>
  /** The address of the long URL's global hash: one over the whole service, made on this domain when first asked for. */
  globalHash(longUrl: string, domain: string, at: number, newHash: DrawHash): Promise<string>
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

export type Created =
  | ({ readonly outcome: 'done' } & Shortened)
  | { readonly outcome: 'too-many-tags'; readonly on: 'link' | 'group' }
  | { readonly outcome: 'taken'; readonly holder: KeywordHolder }

export type Updated =
  | { readonly outcome: 'done'; readonly link: Link }
  | { readonly outcome: 'missing' }
  | { readonly outcome: 'too-many-tags' }
  | { readonly outcome: 'foreign-deeplink' }

/** Whose link is at an address that somebody else wished for. */
export interface KeywordHolder {
  /** Undefined for a global hash, which nobody owns. */
  readonly groupGuid: string | undefined
}
