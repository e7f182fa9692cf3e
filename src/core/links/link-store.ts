import type { DrawHash } from '../values/address.js'
import type { ChangeContext, Link, LinkChange, LinkDetails, LinkDraft, Target } from './link.js'
import type { Destination } from './search.js'

/**
 * Where links live. Every address on every domain (hashes, keywords, global hashes) shares one name space, so that no
 * two things can ever answer at one address. Each method is one atomic step, unless it says otherwise;
 * link-store.contract.ts says what they promise.
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

  // Custom back-halves and where they led over time. Which domains match is core's to know.

  /**
   * Points a new address at a link, which is edited from then on. Of racing callers for one address one gets it. One that
   * the link has already is `done` too, and is not counted again.
   */
  addKeyword(address: string, linkId: string, context: ChangeContext): Promise<KeywordAdded>
  /** Points a keyword at another link, which is edited from then on. Where it led before goes into its history. */
  moveKeyword(address: string, linkId: string, context: ChangeContext): Promise<'moved' | 'no-keyword' | 'no-link'>
  /** A keyword, the link behind it and its history, as of one moment. */
  getKeyword(address: string): Promise<KeywordRecord | undefined>

  // The links of a group, by the page and by the hundred. Reading a page takes several short steps where the links wanted
  // are few among many, so that nothing else waits long for it; each link is as of one moment.

  /** Newest first. Deleted links are never among them. */
  page(input: PageInput): Promise<LinkPage>
  /** The links of the group that these addresses lead to, by address. Deleted links are never among them. */
  behind(groupGuid: string, addresses: readonly string[]): Promise<ReadonlyMap<string, Link>>
  /** The same, with nothing of the links but their addresses. */
  addressesBehind(groupGuid: string, addresses: readonly string[]): Promise<LinkAddresses>
  /** The links of the group with the most keywords, most first; those without any are not among them. */
  mostNamed(groupGuid: string, size: number): Promise<LinkAddresses>
  /** The host names that the newest of the group's links lead to, each once, in alphabetical order. */
  hosts(groupGuid: string, newest: number): Promise<readonly string[]>
  /** All of the links or none: one that cannot be changed leaves everything as it was. */
  changeAll(groupGuid: string, addresses: readonly string[], change: BulkChange, at: number): Promise<BulkAnswer>

  // All links that lead to one long URL, whoever made them. Deleted links lead nowhere.

  /** Whether any link leads there. */
  isKnownLongUrl(longUrl: string): Promise<boolean>
  /**
   * The group's link that leads there: the one that shortening on this domain would return, else one that shortening
   * elsewhere would, else the newest.
   */
  groupLinkTo(groupGuid: string, domain: string, longUrl: string): Promise<Link | undefined>
  /** Every address of these links, hashes and keywords, in no order; not that of the global hash. */
  addressesLeadingTo(longUrl: string): Promise<readonly string[]>
  /** Who made such links, each once and with their first one, the newest first. Private links are not among them. */
  encoders(longUrl: string, input: EncoderInput): Promise<readonly Encoder[]>
  /** How many people made such links, private ones too. */
  encoderCount(longUrl: string): Promise<number>

  // For those who fetch the titles of pages.

  /**
   * Gives a link a title if it has none, still leads to this URL and was not deleted: whatever a person did meanwhile
   * counts for more. Answers whether it was written.
   */
  fillTitle(linkId: string, longUrl: string, title: string): Promise<boolean>
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

export type KeywordAdded =
  | { readonly outcome: 'done' }
  | { readonly outcome: 'no-link' }
  | { readonly outcome: 'taken'; readonly holder: KeywordHolder }

export interface KeywordRecord {
  /** `<domain>/<keyword>` */
  readonly address: string
  readonly link: Link
  /** Newest first; the first entry is where it leads now. */
  readonly history: readonly KeywordEntry[]
}

/** A time during which a keyword led to one destination. */
export interface KeywordEntry {
  readonly linkId: string
  readonly groupGuid: string
  /** Who pointed it there. */
  readonly login: string
  readonly longUrl: string
  readonly createdAt: number
  /** When the keyword itself was made. */
  readonly firstCreatedAt: number
  /** Undefined while it still leads there. */
  readonly deactivatedAt: number | undefined
}

/** All addresses of links, by the id of the link: its own and its keywords. */
export type LinkAddresses = ReadonlyMap<string, readonly string[]>

export interface PageInput {
  readonly groupGuid: string
  readonly filter: LinkFilter
  /** The last link of the page before. */
  readonly after: Position | undefined
  readonly size: number
}

export interface LinkPage {
  readonly links: readonly Link[]
  /** Others follow. */
  readonly more: boolean
}

/** Where a link stands in the list. It never changes, so a list can be continued while links come and go. */
export interface Position {
  readonly createdAt: number
  readonly id: string
}

/** What a link must be like; each part is left out when it does not matter. */
export interface LinkFilter {
  /** Lower case; each must occur in the title, the long URL, a back-half or a tag. */
  readonly words?: readonly string[] | undefined
  readonly destination?: Destination | undefined
  /** The first moment that counts. */
  readonly createdAfter?: number | undefined
  /** The first moment that no longer counts. */
  readonly createdBefore?: number | undefined
  /** The first moment of a last change that counts. */
  readonly modifiedAfter?: number | undefined
  readonly domain?: string | undefined
  readonly archived?: boolean | undefined
  readonly private?: boolean | undefined
  readonly deeplinks?: boolean | undefined
  /** Deep links, and a domain that belongs to an organization. */
  readonly domainDeeplinks?: boolean | undefined
  readonly keywords?: boolean | undefined
  /** At the given moment. */
  readonly expired?: { readonly at: number; readonly wanted: boolean } | undefined
  readonly expires?: boolean | undefined
  readonly routing?: boolean | undefined
  readonly campaignGuid?: string | undefined
  readonly channelGuid?: string | undefined
  /** All of them. */
  readonly tags?: readonly string[] | undefined
  /** One of these logins made it. */
  readonly makers?: readonly string[] | undefined
}

export type BulkChange =
  | { readonly archived: boolean }
  /** What is both removed and added is there afterwards. */
  | { readonly removeTags: readonly string[]; readonly addTags: readonly string[] }

export type BulkAnswer =
  /** The ids of the links, in the order they were named, each once. */
  | { readonly outcome: 'changed'; readonly ids: readonly string[] }
  /** The first address that does not lead to a link that is there. */
  | { readonly outcome: 'missing'; readonly address: string }
  /** The first that leads to a link of another group. */
  | { readonly outcome: 'elsewhere'; readonly address: string }
  | { readonly outcome: 'too-many-tags'; readonly on: 'link' | 'group' }

export interface EncoderInput {
  /** Only links of these groups; undefined: of all. */
  readonly groupGuids: readonly string[] | undefined
  readonly size: number
}

/** Somebody who shortened a long URL. */
export interface Encoder {
  readonly linkId: string
  readonly login: string
  readonly at: number
}
