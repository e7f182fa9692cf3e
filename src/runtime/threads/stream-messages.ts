/** Messages between the main thread, the click thread and the stream thread. */
import type { MessagePort } from 'node:worker_threads'
import type { Batch } from '../../core/stream/messages.js'
import type { Counters } from '../../engines/nsqd/server.js'
import type { NsqdStats } from '../../engines/nsqd/stats.js'
import type { HostOwner } from './host-messages.js'

/** Start data of the stream thread. */
export interface StreamThreadData {
  readonly file: string
  readonly durability: 'normal' | 'full'
  /** Where readers connect to; undefined: only operators read, over the local port. */
  readonly outside: StreamListener | undefined
  /** On 127.0.0.1, for operators who watch a topic; 0 selects a free port. */
  readonly localPort: number
}

export interface StreamListener {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** In PEM. */
  readonly tls: { readonly cert: string; readonly key: string }
  readonly tlsRequired: boolean
}

interface StreamPorts {
  /** 0 if only this process reads. */
  readonly port: number
  readonly localPort: number
}

/** The methods of the stream thread. */
export interface StreamThreadMethods {
  ports(): StreamPorts
  /** Opens a port for a publisher, which calls `FeedMethods`. */
  feed(port: MessagePort): void
  look(): StreamView
  close(): Promise<void>
}

/** The methods of the main thread for the stream thread. */
export interface StreamThreadOwner extends HostOwner {
  /** Undefined if the secret is unknown. */
  authorize(secret: string): Promise<StreamReaderAnswer | undefined>
}

export interface StreamReaderAnswer {
  readonly login: string
  readonly topics: readonly string[]
  readonly ttl: number
}

export interface StreamView {
  readonly stats: NsqdStats
  readonly counters: Counters
}

/** The methods of the stream thread for publishers. */
export interface FeedMethods {
  position(journalId: string): number
  publish(journalId: string, row: number, batches: readonly PackedBatch[]): void
  send(batches: readonly PackedBatch[]): void
}

/** The messages of a topic in one transferable buffer, with the end of each. */
export interface PackedBatch {
  readonly topic: string
  readonly bytes: Uint8Array
  readonly ends: Uint32Array
}

export function packBatch([topic, messages]: Batch): PackedBatch {
  const ends = new Uint32Array(messages.length)
  let end = 0
  for (const [index, message] of messages.entries()) {
    end += message.length
    ends[index] = end
  }
  const bytes = new Uint8Array(end)
  let start = 0
  for (const message of messages) {
    bytes.set(message, start)
    start += message.length
  }
  return { topic, bytes, ends }
}

export function unpackBatch({ topic, bytes, ends }: PackedBatch): Batch {
  const messages: Buffer[] = []
  let start = 0
  for (const end of ends) {
    messages.push(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start))
    start = end
  }
  return [topic, messages]
}
