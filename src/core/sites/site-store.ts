import type { ChangeContext, LinkDraft } from '../links/link.js'
import type { KeywordHolder } from '../links/link-store.js'
import type { DrawHash } from '../values/random.js'
import type { BlockType, Site, SiteDocument, SitePlaces } from './site.js'

/**
 * Stores sites. Each method is one atomic step; site-store.contract.ts says what they promise. Whatever visitors see at
 * once is announced to other processes at the addresses of the site.
 */
export interface SiteStore {
  /** Makes a site and its hidden link, with this address. All or nothing. */
  create(draft: NewSite, newHash: DrawHash): Promise<SiteCreated>
  get(guid: string): Promise<Site | undefined>
  /** The active sites of a group, newest first. */
  page(input: SitePageInput): Promise<readonly Site[]>
  /** These sites, in this order, or the active ones of these groups, newest first. Reads no documents. */
  places(
    of: { readonly guids: readonly string[] } | { readonly groupGuids: readonly string[] },
  ): Promise<readonly SitePlaces[]>
  /**
   * Replaces the draft by what `step` makes of it. Racing callers come one after the other, so none loses anything. What
   * `step` throws leaves everything as it was; it may run again. `no-image`: the document has an image that is not there.
   * `too-large`: see `isTooLarge`.
   * `liveToo`: visitors see the same change at once, if they see the site.
   */
  change(
    guid: string,
    step: (document: SiteDocument) => SiteDocument,
    at: number,
    liveToo?: boolean,
  ): Promise<SiteChanged>
  /** What `change` would do, and what visitors see at once. */
  update(guid: string, change: SiteChange, context: ChangeContext): Promise<SiteUpdated>
  /**
   * The draft is what visitors see from now on. A site that was deactivated is active again. `no-link`: its link was
   * deleted, as that of a forgotten site. `no-domain`: it is inactive, and its group may not use the domain at whose root
   * it was.
   */
  publish(guid: string, at: number): Promise<Site | 'no-link' | 'no-domain' | 'missing'>
  /** The draft is as the live document again. `never-published`: there is none. */
  discard(guid: string, at: number): Promise<'discarded' | 'never-published' | 'missing'>
  /** Its addresses lead nowhere. Undefined if it was inactive, or is not there. */
  deactivate(guid: string, at: number): Promise<Site | undefined>
  /** A former address leads nowhere from now on; nobody else gets it. False if there was no such redirect. */
  removeRedirect(guid: string, address: string, at: number): Promise<boolean>

  /** What a visitor of any of its addresses sees; undefined if there is nothing to see. */
  live(guid: string): Promise<LiveSite | undefined>
  /** The links that are or were on the site once it was published, with the type of their block. */
  linksEverOn(guid: string): Promise<ReadonlyMap<string, BlockType>>
}

export interface NewSite {
  readonly guid: string
  readonly address: string
  readonly document: SiteDocument
  /** Its hidden link; the long URL is the URL of the page. */
  readonly link: LinkDraft
}

export type SiteCreated =
  | { readonly outcome: 'done'; readonly site: Site }
  | { readonly outcome: 'taken'; readonly holder: KeywordHolder }
  | { readonly outcome: 'no-image' }
  | { readonly outcome: 'too-large' }

export type SiteChanged =
  | { readonly outcome: 'done'; readonly site: Site }
  | { readonly outcome: 'missing' }
  | { readonly outcome: 'no-image' }
  | { readonly outcome: 'too-large' }

export type SiteUpdated =
  | SiteChanged
  | { readonly outcome: 'taken'; readonly holder: KeywordHolder }
  /** The QR code does not lead to the site. */
  | { readonly outcome: 'no-code' }

interface SiteChange {
  readonly displayName?: string | undefined
  readonly description?: string | undefined
  readonly qrCodeId?: string | null | undefined
  /**
   * The former address becomes a redirect, inactive where the site could not be published again. The texts above are live
   * at once.
   */
  readonly place?: { readonly address: string; readonly url: string } | undefined
}

export interface SitePageInput {
  readonly groupGuid: string
  /** The last one of the previous page. */
  readonly after: { readonly createdAt: number; readonly guid: string } | undefined
  readonly size: number
  /** Only the site at this address. */
  readonly address?: string | undefined
}

export interface LiveSite {
  readonly guid: string
  readonly groupGuid: string
  readonly document: SiteDocument
  /** The hidden link, whose hash shows the page too. */
  readonly linkId: string
  /** The present one. */
  readonly address: string
  /** Visitors of these are sent to the present one; any other address of the link leads nowhere. */
  readonly forwarded: readonly string[]
  readonly publishedAt: number
}
