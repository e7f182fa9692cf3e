/** LRU cache of blocks, shared by all topics: recently published blocks and blocks read ahead. */
import type { Block } from './block.js'

export class BlockCache {
  readonly #size: number
  /** Blocks by topic and first position. */
  readonly #topics = new Map<number, Map<number, Block>>()
  /** Least recently used first. */
  readonly #used = new Map<Block, number>()
  #bytes = 0

  constructor(size: number) {
    this.#size = size
  }

  /** Finds a block by its first position only. Readers go from block to block; other lookups go to the log. */
  get(topic: number, first: number): Block | undefined {
    const block = this.#topics.get(topic)?.get(first)
    if (block) {
      this.#used.delete(block)
      this.#used.set(block, topic)
    }
    return block
  }

  add(topic: number, block: Block): void {
    const blocks = this.#topics.get(topic) ?? new Map<number, Block>()
    this.#topics.set(topic, blocks)
    const known = blocks.get(block.first)
    if (known) this.#drop(topic, known)
    blocks.set(block.first, block)
    this.#used.set(block, topic)
    this.#bytes += block.bytes.length
    for (const [oldest, owner] of this.#used) {
      if (this.#bytes <= this.#size) break
      this.#drop(owner, oldest)
    }
  }

  /** Removes blocks that end before the position, because the log has dropped them. */
  forget(topic: number, before: number): void {
    const blocks = this.#topics.get(topic)
    if (!blocks) return
    for (const block of blocks.values()) if (block.last < before) this.#drop(topic, block)
    if (blocks.size === 0) this.#topics.delete(topic)
  }

  #drop(topic: number, block: Block): void {
    this.#topics.get(topic)?.delete(block.first)
    if (this.#used.delete(block)) this.#bytes -= block.bytes.length
  }
}
