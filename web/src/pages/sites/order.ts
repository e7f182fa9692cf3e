/** The order of blocks on a page: a list whose containers have lists of their own. Moves are by one step, or to a place. */

/** What is known of a block for its place. */
export interface Placed {
  readonly block_id: string
  readonly type: string
  readonly container_id?: string | undefined
}

export interface Branch<Block extends Placed> {
  readonly block: Block
  /** Of a grid or carousel. */
  readonly blocks: readonly Block[]
}

export interface Place {
  /** Undefined: on the page itself. */
  readonly container: string | undefined
  /** Among the blocks that are there without the one that is moved. */
  readonly index: number
}

export function isContainer({ type }: Pick<Placed, 'type'>): boolean {
  return type === 'grid' || type === 'carousel'
}

/** Grids and carousels contain these alone. */
const insideTypes: ReadonlySet<string> = new Set(['shortlink', 'image', 'youtubeVideo'])

export function fitsInside({ type }: Pick<Placed, 'type'>): boolean {
  return insideTypes.has(type)
}

/** In the order of the answer of the API. */
export function treeOf<Block extends Placed>(blocks: readonly Block[]): readonly Branch<Block>[] {
  return inside(blocks, undefined).map((block) => ({ block, blocks: inside(blocks, block.block_id) }))
}

export function placeOf<Block extends Placed>(
  blocks: readonly Block[],
  id: string,
): Place & { readonly count: number } {
  const container = blocks.find(({ block_id }) => block_id === id)?.container_id || undefined
  const siblings = inside(blocks, container)
  return { container, index: siblings.findIndex(({ block_id }) => block_id === id), count: siblings.length }
}

/** All blocks in their new order, those of a container after it. */
export function moved<Block extends Placed>(blocks: readonly Block[], id: string, to: Place): readonly Block[] {
  const block = blocks.find(({ block_id }) => block_id === id)
  if (!block || (to.container !== undefined && !fitsInside(block))) return blocks
  const others = blocks.filter(({ block_id }) => block_id !== id)
  const siblings = [...inside(others, to.container)]
  siblings.splice(to.index, 0, { ...block, container_id: to.container })
  const listOf = (container: string | undefined) => (container === to.container ? siblings : inside(others, container))
  return listOf(undefined).flatMap((each) => [each, ...(isContainer(each) ? listOf(each.block_id) : [])])
}

/**
 * The place one step up or down, by arrow keys: a block enters the container that it meets, at its end that is nearer, and
 * leaves its own at an end. Undefined at the end of the page.
 */
export function stepped<Block extends Placed>(blocks: readonly Block[], id: string, step: 1 | -1): Place | undefined {
  const { container, index, count } = placeOf(blocks, id)
  const block = blocks.find(({ block_id }) => block_id === id)
  if (!block) return undefined
  const next = inside(blocks, container)[index + step]
  if (container === undefined) {
    if (!next) return undefined
    if (!isContainer(next) || !fitsInside(block)) return { container, index: index + step }
    return { container: next.block_id, index: step === 1 ? 0 : inside(blocks, next.block_id).length }
  }
  if (index + step >= 0 && index + step < count) return { container, index: index + step }
  const own = inside(blocks, undefined).findIndex(({ block_id }) => block_id === container)
  return { container: undefined, index: step === 1 ? own + 1 : own }
}

function inside<Block extends Placed>(blocks: readonly Block[], container: string | undefined): readonly Block[] {
  return blocks.filter(({ container_id }) => (container_id || undefined) === container)
}

/** A row of the list on the screen, while another one is dragged. */
export interface Row {
  readonly id: string
  readonly container: string | undefined
  readonly type: string
  readonly top: number
  readonly bottom: number
  /** Of a container: where its own line ends and its blocks begin. */
  readonly head: number
}

/** Where a block is dropped at this height: before the first row whose middle is below, or inside of the container there. */
export function dropPlace(rows: readonly Row[], id: string, y: number): Place {
  const dragged = rows.find((row) => row.id === id)
  const others = rows.filter((row) => row.id !== id && row.container !== id)
  const box = others.find((row) => isContainer(row) && y > (row.top + row.head) / 2 && y < row.bottom)
  const container = dragged && fitsInside(dragged) ? box?.id : undefined
  const siblings = others.filter((row) => row.container === container)
  const index = siblings.filter(({ top, bottom }) => (top + bottom) / 2 < y).length
  return { container, index }
}
