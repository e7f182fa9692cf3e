/**
 * The click thread's connection to the stream thread: sends messages, and rejects while no stream thread is running.
 */
import type { MessagePort } from 'node:worker_threads'
import type { JournalPosition } from '../../core/clicks/journal.js'
import type { Publisher } from '../../core/stream/click-messages.js'
import type { Batch } from '../../core/stream/messages.js'
import { type FeedMethods, type PackedBatch, packBatch } from './stream-messages.js'
import { ThreadCalls } from './thread-calls.js'

export class StreamFeed implements Publisher {
  #port: MessagePort | undefined
  #calls: ThreadCalls<FeedMethods> | undefined

  /** Call it for every new stream thread; the previous one is gone. */
  connect(port: MessagePort): void {
    this.close()
    this.#port = port
    this.#calls = new ThreadCalls(port, {})
    port.on('close', () => {
      if (this.#port === port) this.#lose()
    })
  }

  close(): void {
    this.#port?.close()
    this.#lose()
  }

  async position(journalId: string): Promise<number> {
    return this.#thread().call('position', [journalId])
  }

  async publish(messages: readonly Batch[], { journalId, row }: JournalPosition): Promise<void> {
    const { batches, memory } = packed(messages)
    await this.#thread().call('publish', [journalId, row, batches], memory)
  }

  /** Publishes messages of a source that keeps its own position. */
  async send(messages: readonly Batch[]): Promise<void> {
    const { batches, memory } = packed(messages)
    await this.#thread().call('send', [batches], memory)
  }

  #thread(): ThreadCalls<FeedMethods> {
    if (!this.#calls) throw new Error(away)
    return this.#calls
  }

  #lose(): void {
    const calls = this.#calls
    this.#port = undefined
    this.#calls = undefined
    calls?.end(new Error(away))
  }
}

function packed(messages: readonly Batch[]): { batches: readonly PackedBatch[]; memory: ArrayBuffer[] } {
  const batches = messages.map(packBatch)
  return { batches, memory: batches.flatMap(({ bytes, ends }) => [bytes.buffer, ends.buffer] as ArrayBuffer[]) }
}

const away = 'the stream thread is not running'
