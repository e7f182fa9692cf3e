import type { LinkChange, LinkDetails, LinkDraft } from '../links/link.js'
import type { RoutingRule } from '../links/routing-rule.js'
import type { Gs1 } from '../qr-contents/gs1.js'
import type { QrDesign } from '../qr-design/design.js'

/**
 * A QR code that leads through a short link. Coupled: the link is one of the group's links. Stand-alone: the link was made
 * for the code and is hidden, until somebody couples the two.
 */
export interface QrCode {
  readonly id: string
  /** Names its picture for everybody (public-images.ts); nobody guesses it. */
  readonly imageId: string
  readonly groupGuid: string
  /** The stored address inside the code: that of the link, or one of its keywords. */
  readonly address: string
  readonly linkId: string
  readonly standAlone: boolean
  /** The site that it leads to. */
  readonly siteGuid: string | undefined
  readonly title: string | undefined
  readonly archived: boolean
  readonly tags: readonly string[]
  /** Undefined for a plain one. */
  readonly design: QrDesign | undefined
  readonly gs1: Gs1 | undefined
  readonly createdBy: string
  readonly createdAt: number
  readonly modifiedAt: number
  readonly deletedAt: number | undefined

  // Of its link.

  readonly longUrl: string
  readonly expiresAt: number | undefined
  readonly routing: readonly RoutingRule[]
}

/** Its link is one of the group's, and not hidden. */
export function isCoupled({ standAlone, siteGuid }: QrCode): boolean {
  return !standAlone && siteGuid === undefined
}

type GivenFields = 'id' | 'imageId' | 'groupGuid' | 'title' | 'archived' | 'tags' | 'design' | 'gs1' | 'createdBy'

/** What a new code needs. */
export interface QrCodeDraft extends Pick<QrCode, GivenFields> {
  /** The group's: what is used is counted for both. */
  readonly organizationGuid: string
  readonly at: number
  readonly destination: QrCodeDestination
}

export type QrCodeDestination =
  /** An address of a link of the group. */
  | { readonly address: string }
  /** A link that is made for the code, and hidden. */
  | { readonly link: LinkDraft; readonly details: LinkDetails }

/** What may change in a code. What is left out stays; null takes it away. Lists replace the ones there were. */
export interface QrCodeChange {
  readonly title?: string | null
  readonly archived?: boolean
  readonly tags?: readonly string[]
  readonly design?: QrDesign | null
  /** What changes in its link; of a stand-alone code only. */
  readonly link?: LinkChange
}
