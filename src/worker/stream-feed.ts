/** The click thread's way to the stream thread: hands over messages, and says so when there is nobody to take them. */
import type { MessagePort } from 'node:worker_threads'
import type { JournalPosition } from '../core/clicks/journal.js'
import type { Batch } from '../core/stream/batches.js'
import type { Publisher } from '../core/stream/stream-sink.js'
import { type FeedAnswer, type FeedCall, type PackedBatch, packBatch } from './stream-messages.js'

interface Waiting {
  readonly resolve: (value: number) => void
  readonly reject: (error: Error) => void
}

export class StreamFeed implements Publisher {
  #port: MessagePort | undefined
  #waiting: Waiting[] = []

  /** To be called for every stream thread that is started; the one before is gone. */
  connect(port: MessagePort): void {
    this.close()
    this.#port = port
    port.on('message', (answer: FeedAnswer) => {
      const waiting = this.#waiting.shift()
      if (answer.type === 'done') waiting?.resolve(answer.value)
      else waiting?.reject(new Error(answer.message))
    })
    port.on('close', () => {
      if (this.#port === port) this.#lose()
    })
  }

  close(): void {
    this.#port?.close()
    this.#lose()
  }

  position(journalId: string): Promise<number> {
    return this.#ask({ type: 'position', journalId })
  }

  async publish(messages: readonly Batch[], { journalId, row }: JournalPosition): Promise<void> {
    const { batches, memory } = packed(messages)
    await this.#ask({ type: 'publish', journalId, row, batches }, memory)
  }

  /** Messages alone, of a source that keeps its position by itself. */
  async send(messages: readonly Batch[]): Promise<void> {
    const { batches, memory } = packed(messages)
    await this.#ask({ type: 'send', batches }, memory)
  }

  #ask(call: FeedCall, memory: ArrayBuffer[] = []): Promise<number> {
    const port = this.#port
    if (!port) return Promise.reject(new Error(away))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      port.postMessage(call, memory)
    })
  }

  #lose(): void {
    this.#port = undefined
    const waiting = this.#waiting
    this.#waiting = []
    for (const { reject } of waiting) reject(new Error(away))
  }
}

function packed(messages: readonly Batch[]): { batches: readonly PackedBatch[]; memory: ArrayBuffer[] } {
  const batches = messages.map(packBatch)
  return { batches, memory: batches.flatMap(({ bytes, ends }) => [bytes.buffer, ends.buffer] as ArrayBuffer[]) }
}

const away = 'the thread of the stream is not running'
