/**
 * Bytes from the other side, in whatever pieces they came: lines, sizes and bodies are taken from the front once they are
 * complete. It holds no more than one unfinished line or body, and joins pieces only when what was asked for is there.
 */

/** As nsqd's read buffer: a line that does not fit is no command. */
const longestLine = 16 * 1024

export class Input {
  #pieces: Buffer[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  push(piece: Buffer): void {
    if (piece.length === 0) return
    this.#pieces.push(piece)
    this.#length += piece.length
  }

  /** A line without its end; undefined when it has not come yet, `too-long` when it never can. */
  line(): string | 'too-long' | undefined {
    const joined = this.#joined()
    const end = joined.indexOf(lineFeed)
    if (end === -1) return this.#length >= longestLine ? 'too-long' : undefined
    if (end >= longestLine) return 'too-long'
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

  /** Forgets everything: what was sent in clear must never be taken for something said after an upgrade. */
  clear(): void {
    this.#pieces = []
    this.#length = 0
  }

  #joined(): Buffer {
    const [first] = this.#pieces
    if (this.#pieces.length === 1 && first) return first
    const joined = Buffer.concat(this.#pieces)
    this.#pieces = [joined]
    return joined
  }

  #dropFront(joined: Buffer, count: number): void {
    this.#length -= count
    this.#pieces = this.#length === 0 ? [] : [joined.subarray(count)]
  }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
