import type { ChangeContext, Link } from '../links/link.js'
import type { BulkAnswer, BulkChange, ItemFilter, Page, PageInput } from '../links/link-store.js'
import type { DrawHash } from '../values/random.js'
import type { QrCode, QrCodeChange, QrCodeDraft } from './qr-code.js'

/**
 * Where QR codes live. Each method is one atomic step; qr-code-store.contract.ts says what they promise. A code that is
 * deleted with its link, and a keyword that is moved, are steps of the links' store: codes follow.
 */
export interface QrCodeStore {
  /** Makes a code, and its link where it needs one of its own; counts the code. All or nothing. */
  create(draft: QrCodeDraft, newHash: DrawHash): Promise<QrCodeCreated>
  /** Deleted ones too. */
  get(id: string): Promise<QrCode | undefined>
  /** Undefined when it was deleted. */
  byImageId(imageId: string): Promise<QrCode | undefined>
  /** Changes a code and its link, all or nothing, and counts a redirect if the change is one. */
  update(id: string, change: QrCodeChange, context: ChangeContext): Promise<QrCodeUpdated>
  /**
   * Makes the link of a stand-alone code a link like others, as if it was made now, and counts it. Of racing callers one
   * does that; who comes later gets the same link, and nothing is counted.
   */
  couple(id: string, input: CoupleInput): Promise<Coupled>
  /**
   * Deletes a code, and its link unless other codes lead through it. `edited`: the link was redirected or has a keyword,
   * and nothing is deleted.
   */
  remove(id: string, at: number): Promise<QrCodeRemoved>

  // The codes of a group.

  /** Newest first. Deleted codes are never among them. */
  page(input: PageInput<QrCodeFilter>): Promise<Page<QrCode>>
  /** All of the codes or none: one that cannot be changed leaves everything as it was. */
  changeAll(groupGuid: string, ids: readonly string[], change: BulkChange, context: ChangeContext): Promise<BulkAnswer>
  /** The stand-alone codes of the group whose links these are, by the id of the link. Deleted ones are never among them. */
  standAlone(groupGuid: string, linkIds: readonly string[]): Promise<ReadonlyMap<string, QrCode>>
}

export type QrCodeCreated =
  | { readonly outcome: 'done'; readonly code: QrCode }
  /** The address does not lead to a link of the group that is there. */
  | { readonly outcome: 'no-link' }
  | { readonly outcome: 'too-many-tags' }
  /** The logo is not an image of the organization, or was deleted. */
  | { readonly outcome: 'no-image' }

export type QrCodeUpdated =
  | { readonly outcome: 'done'; readonly code: QrCode }
  | { readonly outcome: 'missing' }
  | { readonly outcome: 'too-many-tags' }
  | { readonly outcome: 'no-image' }
  /** Its link was to be changed, and is a link of the group by now. */
  | { readonly outcome: 'coupled' }

interface CoupleInput extends ChangeContext {
  readonly organizationGuid: string
  /** The domain is a branded one, whose links are counted apart too. */
  readonly branded: boolean
}

type Coupled =
  | { readonly outcome: 'done'; readonly link: Link; readonly coupledNow: boolean }
  | { readonly outcome: 'missing' }

export type QrCodeRemoved =
  | { readonly outcome: 'removed'; readonly linkIds: readonly string[] }
  | { readonly outcome: 'edited' }
  | { readonly outcome: 'missing' }

/** What a code must be like; each part is left out when it does not matter. */
export interface QrCodeFilter extends ItemFilter {
  readonly standAlone?: boolean | undefined
  readonly designed?: boolean | undefined
  readonly gs1?: boolean | undefined
}
