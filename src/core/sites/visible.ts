/**
 * What visitors of a page see at one moment: active blocks within their schedule, pinned ones first, nested ones in their
 * container. A block whose link was deleted or has expired is left out, and so is a container without blocks.
 */
import type { Target } from '../links/link.js'
import { resolve } from '../links/redirect-cache.js'
import { type Block, type BlockType, type Contact, isShown, linkIdsOf, nextMoment, type SiteDocument } from './site.js'

/** What a page refers to. */
export interface References {
  /** By the id of a link: `null` if it does not exist. */
  readonly targets: ReadonlyMap<string, Target | null>
  /** Those that are there, by their guid. */
  readonly images: { has(guid: string): boolean }
}

export type VisibleBlock<Type extends BlockType = BlockType> = Extract<Block, { readonly type: Type }> & {
  /** The link that it leads to, if it has one. */
  readonly target: Target | undefined
  /** Of a business card: those that are shown. */
  readonly contacts: readonly VisibleContact[]
  /** Of a container, in their order. */
  readonly blocks: readonly VisibleBlock[]
}

export interface VisibleContact extends Contact {
  readonly target: Target | undefined
}

export interface Visible {
  readonly blocks: readonly VisibleBlock[]
  /** When something may appear or disappear; undefined if nothing ever does unless somebody changes it. */
  readonly until: number | undefined
}

export function visible(document: SiteDocument, references: References, now: number): Visible {
  const targetOf = (linkId: string | undefined) => followed(references, linkId, now)

  function shownIn(containerId: string | undefined): readonly VisibleBlock[] {
    const shown = document.blocks.flatMap((block) =>
      block.containerId === containerId && isShown(block, now) ? shownBlock(block) : [],
    )
    return [...shown.filter(({ isPinned }) => isPinned), ...shown.filter(({ isPinned }) => !isPinned)]
  }

  function shownBlock(block: Block): readonly VisibleBlock[] {
    const linkId = 'linkId' in block.content ? block.content.linkId : undefined
    const target = targetOf(linkId)
    if (linkId !== undefined && target === undefined) return []
    const isContainer = block.type === 'grid' || block.type === 'carousel'
    const blocks = isContainer ? shownIn(block.id) : []
    if (isContainer ? blocks.length === 0 : isEmpty(block, references)) return []
    return [{ ...block, target, blocks, contacts: contactsOf(block, targetOf) }]
  }

  return { blocks: shownIn(undefined), until: nextChange(document, references, now) }
}

function contactsOf(block: Block, targetOf: (linkId: string | undefined) => Target | undefined) {
  if (block.type !== 'digital_business_card') return []
  const contacts = block.content.contacts.map((contact) => ({ ...contact, target: targetOf(contact.linkId) }))
  return contacts.filter(({ linkId, target }) => linkId === undefined || target !== undefined)
}

/** The target that a visitor of the link would be sent to. */
function followed({ targets }: References, linkId: string | undefined, now: number): Target | undefined {
  const found = linkId === undefined ? undefined : targets.get(linkId)
  return found && resolve(found, now).outcome === 'redirect' ? found : undefined
}

function isEmpty(block: Block, { images }: References): boolean {
  if (block.type === 'image') return !images.has(block.content.imageGuid)
  if (block.type === 'text_block') return block.content.text.trim() === ''
  return false
}

function nextChange(document: SiteDocument, { targets }: References, now: number): number | undefined {
  const expiries = document.blocks.flatMap(linkIdsOf).map((id) => targets.get(id)?.expiresAt)
  const later = [nextMoment(document, now), ...expiries].filter((time) => time !== undefined && time > now)
  return later.length === 0 ? undefined : Math.min(...(later as number[]))
}
