/**
 * Input buffer of one connection: takes complete lines, sizes and bodies from the front, however the bytes arrived. It
 * holds at most one incomplete line or body, and joins chunks only when needed.
 */

/** The size of nsqd's read buffer; a longer line is not a command. */
const maxLineLength = 16 * 1024

export class Input {
  #chunks: Buffer[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return
    this.#chunks.push(chunk)
    this.#length += chunk.length
  }

  /** A line without its line end; undefined when incomplete, `too-long` when it exceeds the limit. */
  line(): string | 'too-long' | undefined {
    const joined = this.#joined()
    const end = joined.indexOf(lineFeed)
    if (end === -1) return this.#length >= maxLineLength ? 'too-long' : undefined
    if (end >= maxLineLength) return 'too-long'
    const text = joined.toString('latin1', 0, end > 0 && joined[end - 1] === carriageReturn ? end - 1 : end)
    this.#dropFront(joined, end + 1)
    return text
  }

  bytes(count: number): Buffer | undefined {
    if (this.#length < count) return undefined
    const joined = this.#joined()
    const taken = joined.subarray(0, count)
    this.#dropFront(joined, count)
    return taken
  }

  /** Drops all bytes. Plaintext sent before an upgrade must never be read as sent over TLS. */
  clear(): void {
    this.#chunks = []
    this.#length = 0
  }

  #joined(): Buffer {
    const [first] = this.#chunks
    if (this.#chunks.length === 1 && first) return first
    const joined = Buffer.concat(this.#chunks)
    this.#chunks = [joined]
    return joined
  }

  #dropFront(joined: Buffer, count: number): void {
    this.#length -= count
    this.#chunks = this.#length === 0 ? [] : [joined.subarray(count)]
  }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
