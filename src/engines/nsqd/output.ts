/**
 * Frames on their way to one client. Messages are gathered into one write, up to the size and the time that the
 * client asked for; everything else leaves at once, and takes along what was gathered before it.
 */
import type { Block } from './block.js'
import { FrameType, frame, messageHead, messageId, writeMessageHead } from './frames.js'

/** The transport, as far as it matters here. */
export interface Wire {
  readonly unsent: number
  write(bytes: Buffer): void
}

/**
 * Our choice, the shortest time that a client may ask for: so many milliseconds lie between two writes of a stream that
 * never rests. The time a client asks for is a bound, and waiting for all of it would only make messages late.
 */
const writeEvery = 25

export class Output {
  readonly #transport: Wire
  #size: number
  #timeout: number
  #gathered: Buffer | undefined
  #used = 0
  #flushedAt = 0
  #timer: NodeJS.Timeout | undefined

  constructor(transport: Wire, size: number, timeout: number) {
    this.#transport = transport
    this.#size = size
    this.#timeout = timeout
  }

  /** Size 1 means that nothing is gathered. */
  set(size: number, timeout: number): void {
    this.flush()
    this.#size = size
    this.#timeout = timeout
  }

  /** Bytes that have not left the process. */
  get unsent(): number {
    return this.#used + this.#transport.unsent
  }

  send(type: FrameType, data: string): void {
    this.flush()
    // An error repeats what the client sent, byte for byte, whatever it was.
    this.#transport.write(frame(type, Buffer.from(data, type === FrameType.error ? 'latin1' : 'utf8')))
  }

  message(block: Block, position: number, attempts: number): void {
    const { start, end } = block.range(position)
    const length = messageHead + end - start
    if (this.#gathered && this.#used + length > this.#gathered.length) this.flush()
    this.#gathered ??= Buffer.allocUnsafe(Math.max(this.#size, length))
    const at = this.#used
    writeMessageHead(this.#gathered, at, end - start, block.time, attempts, messageId(position))
    block.bytes.copy(this.#gathered, at + messageHead, start, end)
    this.#used += length
    if (this.#used >= this.#size) this.flush()
  }

  /**
   * Nothing more will come for now. A quiet stream is not made to wait; a busy one gathers for a moment, never longer
   * than was asked for.
   */
  rest(): void {
    if (this.#used === 0 || this.#timer) return
    const wait = this.#flushedAt + Math.min(this.#timeout, writeEvery) - performance.now()
    if (wait <= 0) this.flush()
    else this.#timer = setTimeout(() => this.flush(), wait)
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (!this.#gathered || this.#used === 0) return
    const bytes = this.#gathered.subarray(0, this.#used)
    this.#gathered = undefined
    this.#used = 0
    this.#flushedAt = performance.now()
    this.#transport.write(bytes)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#gathered = undefined
    this.#used = 0
  }
}
