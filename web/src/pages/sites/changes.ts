/** What visitors will see differently once the draft is published. */
import { isOther } from '../../api/is-other.js'
import type { Block, Site } from './model.js'

export type Version = Pick<Site, 'content' | 'appearance' | 'blocks'>

interface BlockChange {
  readonly kind: 'added' | 'removed' | 'changed' | 'moved'
  /** As it is in the draft, or was. */
  readonly block: Block
}

interface Changes {
  readonly isRenamed: boolean
  readonly isDescribed: boolean
  readonly isRestyled: boolean
  readonly blocks: readonly BlockChange[]
}

/** Removed ones first, then the others in the order of the draft. */
export function changesOf(live: Version, draft: Version): Changes {
  const [before, after] = [live.blocks ?? [], draft.blocks ?? []]
  const former = new Map(before.map((block) => [block.block_id, block]))
  const present = new Set(after.map(({ block_id }) => block_id))
  const removed = before.filter(({ block_id }) => !present.has(block_id))
  const isChanged = (block: Block) => {
    const was = former.get(block.block_id)
    return was !== undefined && isOther(ownOf(was), ownOf(block))
  }
  // Those that are told already as changed need not be told as moved.
  const stayed = staying(
    before,
    after.filter((block) => !isChanged(block)),
  )
  const blocks = after.flatMap((block): readonly BlockChange[] => {
    const was = former.get(block.block_id)
    if (!was) return [{ kind: 'added', block }]
    if (isChanged(block)) return [{ kind: 'changed', block }]
    const isMoved = was.container_id !== block.container_id || !stayed.has(block.block_id)
    return isMoved ? [{ kind: 'moved', block }] : []
  })
  return {
    isRenamed: live.content.display_name !== draft.content.display_name,
    isDescribed: live.content.description !== draft.content.description,
    isRestyled: isOther(live.appearance, draft.appearance),
    blocks: [...removed.map((block) => ({ kind: 'removed', block }) as const), ...blocks],
  }
}

/** Without its place, and what is told of its link. */
function ownOf({
  sort_order: _,
  container_id: __,
  site_id: ___,
  content: { link_info: ____, ...content },
  ...block
}: Block) {
  return { ...block, content }
}

/** The most blocks that have kept their order: what was dragged from one end to the other is one that moved, not all others. */
function staying(before: readonly Block[], after: readonly Block[]): ReadonlySet<string> {
  const places = new Map(before.map(({ block_id }, at) => [block_id, at]))
  const ids = after.map(({ block_id }) => block_id).filter((id) => places.has(id))
  // The longest rising sequence of former places: at each id, the longest one that ends there.
  const chains: (readonly string[])[] = []
  let longest: readonly string[] = []
  for (const [at, id] of ids.entries()) {
    let best: readonly string[] = []
    for (let earlier = 0; earlier < at; earlier++) {
      const chain = chains[earlier] ?? []
      const isRising = (places.get(ids[earlier] ?? '') ?? 0) < (places.get(id) ?? 0)
      if (isRising && chain.length > best.length) best = chain
    }
    const own = [...best, id]
    chains.push(own)
    if (own.length > longest.length) longest = own
  }
  return new Set(longest)
}
