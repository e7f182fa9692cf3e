/** Changes of the blocks of a document. They are pure: the store runs them in the transaction that holds the draft. */
import { invalid, Refusal } from '../values/refusal.js'
import { type ContentChange, requireComplete } from './content.js'
import { requireReadableText } from './contrast.js'
import {
  type Block,
  type BlockType,
  containerTypes,
  maxBlocks,
  type SiteDocument,
  type TextAppearance,
} from './site.js'

/** What is not sent stays. */
export interface BlockChange {
  readonly content?: ContentChange | undefined
  readonly appearance?: TextAppearance | undefined
  /** Epoch milliseconds; null: no longer limited. */
  readonly scheduleStart?: number | null | undefined
  readonly scheduleEnd?: number | null | undefined
  readonly isActive?: boolean | undefined
  readonly isPinned?: boolean | undefined
  /** The id of a container; null takes the block out of its container. */
  readonly parent?: string | null | undefined
}

export function isContainer(type: BlockType): boolean {
  return (containerTypes as readonly string[]).includes(type)
}

/** At the end of its container. */
export function addBlock(document: SiteDocument, id: string, type: BlockType, change: BlockChange): SiteDocument {
  if (document.blocks.length >= maxBlocks) throw tooMany()
  const empty = { id, type, content: {}, isActive: true, isPinned: false, isSample: false } as unknown as Block
  return { ...document, blocks: [...document.blocks, changed(document, empty, change)] }
}

export function changeBlock(document: SiteDocument, id: string, change: BlockChange): SiteDocument {
  const block = blockIn(document, id)
  const next = { ...changed(document, block, change), isSample: false }
  const others = document.blocks.filter((each) => each !== block)
  // One that goes elsewhere is the last one there.
  if (next.containerId !== block.containerId) return { ...document, blocks: [...others, next] }
  return { ...document, blocks: document.blocks.map((each) => (each === block ? next : each)) }
}

/** With the blocks in it. */
export function removeBlock(document: SiteDocument, id: string): SiteDocument {
  blockIn(document, id)
  return { ...document, blocks: document.blocks.filter((each) => each.id !== id && each.containerId !== id) }
}

export interface BlockPlace {
  readonly id: string
  readonly sortOrder: number
}

/** Blocks that are not named follow those that are, in the order they had. */
export function orderBlocks(document: SiteDocument, order: readonly BlockPlace[]): SiteDocument {
  const places = new Map(order.map(({ id, sortOrder }) => [id, sortOrder]))
  for (const id of places.keys()) blockIn(document, id)
  if (places.size < order.length) throw invalid('blockOrder', 'Name every block once.', 'sites')
  const placeOf = ({ id }: Block) => places.get(id) ?? Number.POSITIVE_INFINITY
  // Sorting is stable. Infinity - Infinity is no number.
  const compare = (one: Block, other: Block) => Math.sign(placeOf(one) - placeOf(other)) || 0
  return { ...document, blocks: document.blocks.toSorted(compare) }
}

export function blockIn({ blocks }: SiteDocument, id: string): Block {
  const block = blocks.find((each) => each.id === id)
  if (block) return block
  throw new Refusal('NOT_FOUND', 'The site has no such block.', { resource: 'sites' })
}

/** All in the order of the answers: those of the page, then those of each container in its order. */
export function orderedBlocks({
  blocks,
}: Pick<SiteDocument, 'blocks'>): readonly { readonly block: Block; readonly order: number }[] {
  const inside = (containerId: string | undefined) =>
    blocks.filter((each) => each.containerId === containerId).map((block, order) => ({ block, order }))
  const top = inside(undefined)
  return [...top, ...top.flatMap(({ block }) => (isContainer(block.type) ? inside(block.id) : []))]
}

function changed(document: SiteDocument, block: Block, change: BlockChange): Block {
  const { content, appearance, scheduleStart, scheduleEnd, isActive, isPinned, parent } = change
  const next = withoutUndefined({
    ...block,
    content: content
      ? requireComplete(block.type, withoutUndefined({ ...block.content, ...content }))
      : requireComplete(block.type, { ...block.content }),
    ...(appearance && { appearance: withoutUndefined({ ...block.appearance, ...appearance }) }),
    ...(scheduleStart !== undefined && { scheduleStart: scheduleStart ?? undefined }),
    ...(scheduleEnd !== undefined && { scheduleEnd: scheduleEnd ?? undefined }),
    ...(isActive !== undefined && { isActive }),
    ...(isPinned !== undefined && { isPinned }),
    ...(parent !== undefined && { containerId: parent ?? undefined }),
  }) as Block
  requireSchedule(next)
  if (appearance && next.appearance) requireReadableText(next.appearance, document.appearance)
  if (next.containerId !== undefined && next.containerId !== block.containerId) requireInside(document, next)
  return next
}

function requireSchedule({ scheduleStart, scheduleEnd }: Block): void {
  if (scheduleStart === undefined || scheduleEnd === undefined || scheduleStart < scheduleEnd) return
  throw invalid('scheduleEnd', 'The schedule must end after it starts.', 'sites')
}

function requireInside(document: SiteDocument, { type, containerId }: Block): void {
  const container = document.blocks.find(({ id }) => id === containerId)
  if (!container || !isContainer(container.type)) {
    throw invalid('parent', 'The site has no grid or carousel with this id.', 'sites')
  }
  if (!inContainers.has(type)) {
    throw invalid('parent', `A ${container.type} contains short links, images and videos.`, 'sites')
  }
}

const inContainers: ReadonlySet<BlockType> = new Set(['shortlink', 'image', 'youtubeVideo'])

export function tooMany(): Refusal {
  return invalid('type', `A site has at most ${maxBlocks} blocks. Delete one first.`, 'sites')
}

/** Documents are compared, and those that were stored have no such fields. */
function withoutUndefined<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields
}
