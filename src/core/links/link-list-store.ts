import type { Link } from './link.js'
import type { Destination } from './search.js'

/**
 * The links of a group, by the page and by the hundred. Reading a page takes several short steps where the links wanted
 * are few among many, so that nothing else waits long for it; each link is as of one moment. Changing many is one atomic
 * step. link-list-store.contract.ts says what they promise.
 */
export interface LinkListStore {
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
