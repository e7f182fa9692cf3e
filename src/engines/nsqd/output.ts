/**
 * Output buffer of one client. Messages are batched into one write, up to the size and the timeout that the client
 * negotiated; all other frames flush the buffer and are written at once.
 */
import type { Block } from './block.js'
import { FrameType, frame, messageHead, messageId, writeMessageHead } from './frames.js'

/** The part of the transport that Output uses. */
export interface Wire {
  readonly unsent: number
  write(bytes: Buffer): void
}

/**
 * Milliseconds between two writes of a busy stream: the shortest timeout a client may negotiate. The negotiated timeout
 * is an upper bound; waiting that long would only add latency.
 */
const writeInterval = 25

export class Output {
  readonly #transport: Wire
  #size: number
  #timeout: number
  #buffer: Buffer | undefined
  #used = 0
  #flushedAt = 0
  #timer: NodeJS.Timeout | undefined

  constructor(transport: Wire, size: number, timeout: number) {
    this.#transport = transport
    this.#size = size
    this.#timeout = timeout
  }

  /** Size 1 disables buffering. */
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
    // latin1: an error frame repeats the client's bytes unchanged.
    this.#transport.write(frame(type, Buffer.from(data, type === FrameType.error ? 'latin1' : 'utf8')))
  }

  message(block: Block, position: number, attempts: number): void {
    const { start, end } = block.range(position)
    const length = messageHead + end - start
    if (this.#buffer && this.#used + length > this.#buffer.length) this.flush()
    this.#buffer ??= Buffer.allocUnsafe(Math.max(this.#size, length))
    const at = this.#used
    writeMessageHead(this.#buffer, at, end - start, block.time, attempts, messageId(position))
    block.bytes.copy(this.#buffer, at + messageHead, start, end)
    this.#used += length
    if (this.#used >= this.#size) this.flush()
  }

  /**
   * No more messages for now. An idle stream is written at once; a busy one is batched, never longer than the
   * negotiated timeout.
   */
  rest(): void {
    if (this.#used === 0 || this.#timer) return
    const wait = this.#flushedAt + Math.min(this.#timeout, writeInterval) - performance.now()
    if (wait <= 0) this.flush()
    else this.#timer = setTimeout(() => this.flush(), wait)
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (!this.#buffer || this.#used === 0) return
    const bytes = this.#buffer.subarray(0, this.#used)
    this.#buffer = undefined
    this.#used = 0
    this.#flushedAt = performance.now()
    this.#transport.write(bytes)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#buffer = undefined
    this.#used = 0
  }
}
