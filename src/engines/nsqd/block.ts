/**
 * A block: messages published together, stored as one row of the log and one buffer in memory.
 * A message is a position in its topic. All channels read the same block, so a channel stores positions and copies no
 * bytes.
 */
import { timeBytes } from './frames.js'

export interface BlockFacts {
  readonly first: number
  readonly count: number
  /** Publish time in milliseconds. */
  readonly at: number
  /** Earliest delivery time; 0 means now. */
  readonly deferredUntil: number
}

export class Block implements BlockFacts {
  readonly first: number
  readonly count: number
  readonly at: number
  readonly deferredUntil: number
  readonly bytes: Buffer
  readonly time: Buffer
  readonly #starts: Uint32Array

  constructor({ first, count, at, deferredUntil }: BlockFacts, bytes: Buffer) {
    this.first = first
    this.count = count
    this.at = at
    this.deferredUntil = deferredUntil
    this.bytes = bytes
    this.time = timeBytes(at)
    this.#starts = new Uint32Array(count + 1)
    let start = sizeBytes
    for (let index = 0; index < count; index++) {
      this.#starts[index] = start
      start += bytes.readUInt32BE(start - sizeBytes) + sizeBytes
    }
    this.#starts[count] = start
  }

  get last(): number {
    return this.first + this.count - 1
  }

  /** Byte range of a message body. */
  range(position: number): { start: number; end: number } {
    const index = position - this.first
    const start = this.#starts[index]
    const next = this.#starts[index + 1]
    if (start === undefined || next === undefined) throw new RangeError(`${position} is not in block ${this.first}`)
    return { start, end: next - sizeBytes }
  }
}

/** Writes each body after its size. */
export function packed(messages: readonly Buffer[]): Buffer {
  const bytes = Buffer.allocUnsafe(messages.reduce((sum, message) => sum + sizeBytes + message.length, 0))
  let at = 0
  for (const message of messages) {
    at = bytes.writeUInt32BE(message.length, at)
    at += message.copy(bytes, at)
  }
  return bytes
}

/** Splits a batch into blocks small enough to read in one go: a new consumer should not wait for megabytes. */
export function* splitIntoBlocks(messages: readonly Buffer[]): Generator<readonly Buffer[]> {
  let start = 0
  let bytes = 0
  for (const [index, message] of messages.entries()) {
    if (index > start && (index - start >= maxMessages || bytes + message.length > maxBytes)) {
      yield messages.slice(start, index)
      start = index
      bytes = 0
    }
    bytes += message.length
  }
  if (start < messages.length) yield messages.slice(start)
}

const sizeBytes = 4
// Many messages per row: far fewer rows to write and read.
const maxMessages = 512
const maxBytes = 128 * 1024

/** LRU cache of blocks, shared by all topics: recently published blocks and blocks read ahead. */
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
