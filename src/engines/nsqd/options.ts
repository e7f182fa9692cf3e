/** Options of the server. Limits that nsqd also has default to the values of nsqd 1.3.0. */
import type { Logger } from '../../lib/logger.js'
import type { Authorize } from './authorization.js'

export interface NsqdOptions {
  /** File of the message log; created when missing. */
  readonly file: string
  /** `normal` survives a crash of the process, `full` a crash of the machine. */
  readonly durability?: 'normal' | 'full'
  readonly host?: string
  /** 0 picks a free port. */
  readonly port?: number
  /** PEM. TLS is not offered without it. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer }
  /** Refuses every command except IDENTIFY before the TLS upgrade. */
  readonly tlsRequired?: boolean
  /** A second port on 127.0.0.1, without TLS, for readers on this machine; 0 picks a free one. */
  readonly localPort?: number
  /** Without it, AUTH is disabled and everything is allowed. */
  readonly authorize?: Authorize
  readonly limits?: Partial<Limits>
  readonly retention?: Partial<Retention>
  readonly log?: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
}

/** Sizes in bytes, times in milliseconds. */
export interface Limits {
  readonly maxMessageSize: number
  readonly maxBodySize: number
  readonly maxReadyCount: number
  readonly maxRequeueDelay: number
  readonly messageTimeout: number
  readonly maxMessageTimeout: number
  readonly heartbeatInterval: number
  readonly maxHeartbeatInterval: number
  readonly outputBufferSize: number
  readonly maxOutputBufferSize: number
  readonly outputBufferTimeout: number
  readonly minOutputBufferTimeout: number
  readonly maxOutputBufferTimeout: number
  readonly maxDeflateLevel: number
  /** 0: no limit. */
  readonly maxChannelConsumers: number
  readonly maxChannels: number
  readonly maxConnections: number
  /** Unauthenticated connections. Above the limit, the oldest one is closed. */
  readonly maxUnauthenticated: number
  /** Timeout for the first four bytes, and for the TLS handshake. */
  readonly handshakeTimeout: number
  /**
   * Unsent bytes per connection. Above it the client gets no messages; above four times as many its commands are not
   * read.
   */
  readonly maxUnsent: number
  /** Bytes of incomplete commands over all connections. */
  readonly maxUnread: number
  /** Unfinished messages per channel, deferred ones included. */
  readonly maxOutstanding: number
  /** How often channel positions are saved. After a crash, messages finished since the last save are delivered again. */
  readonly saveInterval: number
  /** Memory for recently published blocks and for read-ahead. */
  readonly cacheSize: number
}

export interface Retention {
  /** Older messages are dropped, finished or not. */
  readonly age: number
  /** Bytes of message bodies over all topics; the oldest messages beyond it are dropped. */
  readonly size: number
  /** How often finished and expired messages are dropped. */
  readonly interval: number
}

export const defaultLimits: Limits = {
  maxMessageSize: 1024 * 1024,
  maxBodySize: 5 * 1024 * 1024,
  maxReadyCount: 2500,
  maxRequeueDelay: 60 * 60 * 1000,
  messageTimeout: 60_000,
  maxMessageTimeout: 15 * 60_000,
  heartbeatInterval: 30_000,
  maxHeartbeatInterval: 60_000,
  outputBufferSize: 16 * 1024,
  maxOutputBufferSize: 64 * 1024,
  outputBufferTimeout: 250,
  minOutputBufferTimeout: 25,
  maxOutputBufferTimeout: 30_000,
  maxDeflateLevel: 6,
  maxChannelConsumers: 0,
  // nsqd has no limits like the following; a public port needs them.
  maxChannels: 1000,
  maxConnections: 2000,
  maxUnauthenticated: 256,
  handshakeTimeout: 5000,
  maxUnsent: 256 * 1024,
  maxUnread: 64 * 1024 * 1024,
  maxOutstanding: 100_000,
  saveInterval: 100,
  cacheSize: 32 * 1024 * 1024,
}

// A consumer can be offline over a long weekend without losing messages, and the disk usage stays bounded.
export const defaultRetention: Retention = {
  age: 7 * 24 * 60 * 60 * 1000,
  size: 4 * 1024 * 1024 * 1024,
  interval: 1000,
}

/** The nsqd version we announce. Clients parse it, so it must look like `1.x.y`. */
export const version = '1.3.0'

/** Counters since the start. */
export interface Totals {
  published: number
  publishedBytes: number
  delivered: number
  finished: number
  requeued: number
  timedOut: number
  lost: number
  connections: number
  /** Connections refused or evicted because there were too many. */
  connectionsRefused: number
  /** Error frames by code. */
  errors: Record<string, number>
}

export function noTotals(): Totals {
  return {
    published: 0,
    publishedBytes: 0,
    delivered: 0,
    finished: 0,
    requeued: 0,
    timedOut: 0,
    lost: 0,
    connections: 0,
    connectionsRefused: 0,
    errors: {},
  }
}
