/** What the main thread, the click thread and the stream thread say to each other about the stream. */
import type { MessagePort } from 'node:worker_threads'
import type { Batch } from '../core/stream/batches.js'
import type { Counters } from '../engines/nsqd/server.js'
import type { NsqdStats } from '../engines/nsqd/stats.js'
import type { LogReport } from './log-report.js'

/** What a stream thread is started with. */
export interface StreamThreadData {
  readonly file: string
  readonly durability: 'normal' | 'full'
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** In PEM. */
  readonly tls: { readonly cert: string; readonly key: string }
  readonly tlsRequired: boolean
}

export type ToStream =
  /** A way in for somebody who publishes. */
  | { readonly type: 'feed'; readonly port: MessagePort }
  | { readonly type: 'look'; readonly id: number }
  /** Undefined when the secret is not known; `failed` when nobody could say. */
  | { readonly type: 'authorized'; readonly id: number; readonly reader: StreamReaderAnswer | undefined }
  | { readonly type: 'failed'; readonly id: number }
  | { readonly type: 'close' }

export interface StreamReaderAnswer {
  readonly login: string
  readonly topics: readonly string[]
  readonly ttl: number
}

export type FromStream =
  | { readonly type: 'ready'; readonly port: number }
  | { readonly type: 'broken'; readonly message: string; readonly code: string | undefined }
  | { readonly type: 'seen'; readonly id: number; readonly view: StreamView }
  | { readonly type: 'authorize'; readonly id: number; readonly secret: string }
  | LogReport

export interface StreamView {
  readonly stats: NsqdStats
  readonly counters: Counters
}

/** Through a feed; answered in the order they came. */
export type FeedCall =
  | { readonly type: 'position'; readonly journalId: string }
  | {
      readonly type: 'publish'
      readonly journalId: string
      readonly row: number
      readonly batches: readonly PackedBatch[]
    }
  | { readonly type: 'send'; readonly batches: readonly PackedBatch[] }

export type FeedAnswer =
  | { readonly type: 'done'; readonly value: number }
  | { readonly type: 'failed'; readonly message: string }

/** The messages of a topic in one piece of memory that changes hands, and where each of them ends. */
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
