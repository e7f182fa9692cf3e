import type { ChangeContext, Link } from './link.js'
import type { KeywordHolder } from './link-store.js'

/**
 * Custom back-halves and where they led over time. They share the one name space of `LinkStore`. Each method is one
 * atomic step; keyword-store.contract.ts says what they promise. Which domains match is core's to know.
 */
export interface KeywordStore {
  /**
   * Points a new address at a link, which is edited from then on. Of racing callers for one address one gets it. One that
   * the link has already is `done` too, and is not counted again.
   */
  add(address: string, linkId: string, context: ChangeContext): Promise<KeywordAdded>
  /** Points a keyword at another link, which is edited from then on. Where it led before goes into its history. */
  move(address: string, linkId: string, context: ChangeContext): Promise<'moved' | 'no-keyword' | 'no-link'>
  /** A keyword, the link behind it and its history, as of one moment. */
  get(address: string): Promise<KeywordRecord | undefined>
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
