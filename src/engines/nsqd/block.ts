/**
 * Messages that were published together: one row of the log, one buffer in memory. A message is a position in its topic;
 * every channel reads the same block, so a copy for each channel costs a number and not the bytes.
 */
import { timeBytes } from './frames.js'

export interface BlockFacts {
  readonly first: number
  readonly count: number
  /** When it was published, in milliseconds. */
  readonly at: number
  /** When it may be delivered; 0 is at once. */
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

  /** Where the body of a message is. */
  range(position: number): { start: number; end: number } {
    const index = position - this.first
    const start = this.#starts[index]
    const next = this.#starts[index + 1]
    if (start === undefined || next === undefined) throw new RangeError(`${position} is not in block ${this.first}`)
    return { start, end: next - sizeBytes }
  }
}

/** Each body behind its size. */
export function packed(messages: readonly Buffer[]): Buffer {
  const bytes = Buffer.allocUnsafe(messages.reduce((sum, message) => sum + sizeBytes + message.length, 0))
  let at = 0
  for (const message of messages) {
    at = bytes.writeUInt32BE(message.length, at)
    at += message.copy(bytes, at)
  }
  return bytes
}

/** Stretches small enough to be read at once: a consumer that has just begun should not wait for megabytes. */
export function* stretches(messages: readonly Buffer[]): Generator<readonly Buffer[]> {
  let start = 0
  let bytes = 0
  for (const [index, message] of messages.entries()) {
    if (index > start && (index - start >= mostMessages || bytes + message.length > mostBytes)) {
      yield messages.slice(start, index)
      start = index
      bytes = 0
    }
    bytes += message.length
  }
  if (start < messages.length) yield messages.slice(start)
}

const sizeBytes = 4
// One row of the log holds many messages: far fewer rows to write and read.
const mostMessages = 512
const mostBytes = 128 * 1024
