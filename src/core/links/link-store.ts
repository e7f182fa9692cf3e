import type { DrawHash } from '../values/random.js'
import type { Refusal } from '../values/refusal.js'
import type { HistoryEntry } from './history-entry.js'
import type { ChangeContext, Link, LinkChange, LinkDetails, LinkDraft, TagEdit, Target } from './link.js'
import type { Destination } from './search.js'

/**
 * Stores links. Hashes, keywords and global hashes share one table of addresses, so an address is unique across all
 * domains and kinds. Each method is one atomic step unless its comment says otherwise; the promises are tested in
 * link-store.contract.ts.
 */
/** Entries in the history of a link: one can be a megabyte. */
export const maxHistory = 200

export interface LinkStore {
  /**
   * Returns the group's link for this long URL on this domain, or creates one. Racing callers get the same link, and
   * `created` is true for one of them. A taken hash is drawn again. An existing archived link is restored,
   * unless `keepArchived` is set.
   */
  findOrInsert(draft: LinkDraft, newHash: DrawHash): Promise<Shortened>
  /**
   * Like `findOrInsert`, with details for a new link. An existing link gets the title, and the tags are added to its
   * own, unless `keepExisting` is set. All or nothing: when the keyword is taken or a tag limit is reached, nothing
   * changes. A link with an expiry, deep links or routing rules is never reused.
   */
  create(draft: LinkDraft, details: LinkDetails, newHash: DrawHash): Promise<Created>
  /**
   * Like `create` for each of these links, in few statements; one that cannot be created costs no other. Each link is
   * atomic, all of them together are not. A monthly limit that is reached among them is a refusal of the further ones.
   */
  createAll(links: readonly NewLinkInput[], newHash: DrawHash): Promise<readonly CreatedOrRefused[]>
  /**
   * Changes a link, all or nothing, and counts a redirect if the change is one. A new long URL marks the link as edited
   * and not reusable, and is added to the history of the link's keywords. `foreign-deeplink`: a deep link's guid
   * belongs to another link.
   */
  update(id: string, change: LinkChange, context: ChangeContext): Promise<Updated>
  /**
   * Deletes a link that was never edited. Its address stays taken forever, its tags are released, and shortening its
   * long URL again creates another link. `missing`: unknown, or already deleted.
   */
  remove(id: string, at: number): Promise<'removed' | 'edited' | 'missing'>
  /** The address of the long URL's global hash, one per service; the first call creates it on this domain. */
  globalHash(longUrl: string, domain: string, at: number, newHash: DrawHash): Promise<string>
  /** The group's reusable link for this long URL on this domain. */
  findByLongUrl(groupGuid: string, domain: string, longUrl: string): Promise<Link | undefined>
  /** The link at an address, a hash or a keyword; includes deleted links. */
  get(address: string): Promise<Link | undefined>
  /** The links with these hashes, in any order; includes deleted and hidden links. */
  withIds(ids: readonly string[]): Promise<readonly Link[]>
  /** The redirect target of an address, also of a global hash. */
  target(address: string): Promise<Target | undefined>

  // Keywords and their history. The store does not check that the domains match.

  /**
   * Adds a keyword to a link and marks the link as edited. Of callers racing for one address, one gets it. A keyword
   * that the link already has is `done` too, and is not counted again.
   */
  addKeyword(address: string, linkId: string, context: ChangeContext): Promise<KeywordAdded>
  /** Moves a keyword to another link and marks that link as edited. The old destination goes into the history. */
  moveKeyword(address: string, linkId: string, context: ChangeContext): Promise<'moved' | 'no-keyword' | 'no-link'>
  /** A keyword with its link and history, read in one snapshot. */
  getKeyword(address: string): Promise<KeywordRecord | undefined>
  /** Where these keywords lead now, by address. Other addresses are left out. */
  currentEntries(addresses: readonly string[]): Promise<ReadonlyMap<string, KeywordEntry>>

  // Lists and bulk changes of a group's links, without the hidden links of stand-alone QR codes. A page with a selective
  // filter is read in several short steps, so that other queries do not wait long; each link is consistent in itself, the
  // page as a whole is not a snapshot.

  /** Newest first, without deleted links. */
  page(input: PageInput<LinkFilter>): Promise<Page<Link>>
  /** How many links `page` lists, counted from the newest on. */
  count(groupGuid: string, filter: LinkFilter, limit: CountLimit): Promise<ItemCount>
  /** The group's links at these addresses, by address, without deleted links and those that do not match the filter. */
  linksAt(groupGuid: string, addresses: readonly string[], filter?: LinkFilter): Promise<ReadonlyMap<string, Link>>
  /** Like `linksAt`, but only the addresses of the links; `hiddenToo` includes hidden links. */
  addressesAt(groupGuid: string, addresses: readonly string[], hiddenToo?: boolean): Promise<LinkAddresses>
  /** The group's links with the most keywords first, without links that have none. */
  withMostKeywords(groupGuid: string, size: number): Promise<LinkAddresses>
  /** The distinct destination hosts of the group's newest links, in alphabetical order. */
  hosts(groupGuid: string, newest: number): Promise<readonly string[]>
  /** Changes all of the links or none. */
  changeAll(
    groupGuid: string,
    addresses: readonly string[],
    change: BulkChange,
    context: ChangeContext,
  ): Promise<BulkAnswer>

  // The history of a link. Each change of what owners set is an entry, written with the change; the newest `maxHistory` stay.

  /** The newest first. */
  history(linkId: string, page: HistoryPageInput): Promise<readonly HistoryEntry[]>
  historyEntry(linkId: string, guid: string): Promise<HistoryEntry | undefined>
  /** Deletes at most `limit` entries of any link that are older, and returns how many. */
  deleteOldHistory(before: number, limit: number): Promise<number>

  // All links to one long URL, of all groups. Deleted links do not count.

  /** Whether any link has this long URL. */
  isKnownLongUrl(longUrl: string): Promise<boolean>
  /**
   * The group's link to this long URL: the reusable one on this domain, else a reusable one on another domain, else the
   * newest.
   */
  groupLinkTo(groupGuid: string, domain: string, longUrl: string): Promise<Link | undefined>
  /** All addresses of these links, hashes and keywords, in no order; without the global hash. */
  addressesLeadingTo(longUrl: string): Promise<readonly string[]>
  /** The users who created such links, each once with their first link, newest first; without private links. */
  encoders(longUrl: string, input: EncoderInput): Promise<readonly Encoder[]>
  /** The number of users who created such links, including private ones. */
  encoderCount(longUrl: string): Promise<number>

  /**
   * Sets a fetched page title if the link has no title, still has this long URL and is not deleted: a user's change
   * wins. Returns whether the title was written.
   */
  fillTitle(linkId: string, longUrl: string, title: string): Promise<boolean>
}

interface HistoryPageInput {
  /** The number of the last entry of the previous page. */
  readonly after: number | undefined
  readonly size: number
}

export interface Shortened {
  readonly link: Link
  readonly created: boolean
}

export type Created =
  | ({ readonly outcome: 'done' } & Shortened)
  | { readonly outcome: 'too-many-tags'; readonly on: 'link' | 'group' }
  | { readonly outcome: 'taken'; readonly holder: KeywordHolder }

export interface NewLinkInput {
  readonly draft: LinkDraft
  /** Undefined: a long URL alone. */
  readonly details: LinkDetails | undefined
}

export type CreatedOrRefused = Created | { readonly outcome: 'refused'; readonly refusal: Refusal }

export type Updated =
  | { readonly outcome: 'done'; readonly link: Link }
  | { readonly outcome: 'missing' }
  | { readonly outcome: 'too-many-tags'; readonly on: 'link' | 'group' }
  | { readonly outcome: 'foreign-deeplink' }

/** Who holds an address that is taken. */
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

/** A period during which a keyword had one destination. */
export interface KeywordEntry {
  readonly linkId: string
  readonly groupGuid: string
  /** Who pointed it there. */
  readonly login: string
  readonly longUrl: string
  readonly createdAt: number
  /** When the keyword itself was created. */
  readonly firstCreatedAt: number
  /** Undefined for the current destination. */
  readonly deactivatedAt: number | undefined
}

/** All addresses (hash and keywords) of links, by link id. */
export type LinkAddresses = ReadonlyMap<string, readonly string[]>

export interface PageInput<Filter> {
  readonly groupGuid: string
  readonly filter: Filter
  /** The last item of the previous page. */
  readonly after: Position | undefined
  readonly size: number
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Whether there is a next page. */
  readonly more: boolean
}

/** Where counting stops: about. */
export interface CountLimit {
  /** Items of the list that were passed, whether they match or not. */
  readonly passed: number
  /** Items that a search by words or destination found, each of which has to be read. */
  readonly read: number
}

export interface ItemCount {
  readonly count: number
  /** False: counting stopped at the limit, so there may be more. */
  readonly isExact: boolean
}

/** A position in a list. It never changes, so paging stays correct while items are added and deleted. */
export interface Position {
  readonly createdAt: number
  readonly id: string
}

/** Conditions that links or QR codes must all meet; undefined ones are ignored. */
export interface ItemFilter {
  /** Lower case; each must occur in the title, the long URL, a back-half, a tag or the note. */
  readonly words?: readonly string[] | undefined
  readonly destination?: Destination | undefined
  /** Inclusive. */
  readonly createdAfter?: number | undefined
  /** Exclusive. */
  readonly createdBefore?: number | undefined
  readonly domain?: string | undefined
  readonly archived?: boolean | undefined
  /** Whether the link is expired at the given time. */
  readonly expired?: { readonly at: number; readonly wanted: boolean } | undefined
  readonly expires?: boolean | undefined
  readonly routing?: boolean | undefined
  /** The item has all of these tags. */
  readonly tags?: readonly string[] | undefined
  /** Logins; the item was created by one of them. */
  readonly makers?: readonly string[] | undefined
}

export interface LinkFilter extends ItemFilter {
  /** Inclusive; compares with the last change. */
  readonly modifiedAfter?: number | undefined
  readonly private?: boolean | undefined
  readonly deeplinks?: boolean | undefined
  /** Has deep links and is on a branded domain. */
  readonly domainDeeplinks?: boolean | undefined
  readonly keywords?: boolean | undefined
  readonly qrCodes?: boolean | undefined
  /** On one of these sites. */
  readonly siteGuids?: readonly string[] | undefined
  readonly campaignGuid?: string | undefined
  readonly channelGuid?: string | undefined
}

export type BulkChange = { readonly archived: boolean } | TagEdit

export type BulkAnswer =
  /** The ids of the changed items, in the order of the request, without duplicates. */
  | { readonly outcome: 'changed'; readonly ids: readonly string[] }
  /** The first name without an item. */
  | { readonly outcome: 'missing'; readonly item: string }
  /** The id of a deleted item. */
  | { readonly outcome: 'gone'; readonly item: string }
  /** The first name of another group's item. */
  | { readonly outcome: 'elsewhere'; readonly item: string }
  /** On one item, or in the group. */
  | { readonly outcome: 'too-many-tags'; readonly on: 'link' | 'group' }

export interface EncoderInput {
  /** Only links of groups of these organizations. */
  readonly organizationGuids: readonly string[]
  /** Only links of these groups; undefined means all groups of the organizations. */
  readonly groupGuids?: readonly string[] | undefined
  readonly size: number
}

/** A user who shortened a long URL. */
export interface Encoder {
  readonly linkId: string
  readonly login: string
  readonly at: number
}
