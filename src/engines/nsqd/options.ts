/** What an endpoint can be told: where it lives, whom it lets in, and its limits, with the defaults of nsqd 1.3.0. */
import type { Logger } from '../../lib/logger.js'
import type { Authorize } from './authorization.js'

export interface NsqdOptions {
  /** The file of the message log; it is made when it is missing. */
  readonly file: string
  /** `normal` survives the death of the process, `full` that of the machine. */
  readonly durability?: 'normal' | 'full'
  readonly host?: string
  /** 0 takes a free one. */
  readonly port?: number
  /** In PEM. Without it nobody is offered TLS. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer }
  /** Refuses every command but IDENTIFY before the upgrade. */
  readonly tlsRequired?: boolean
  /** Without it nobody has to say who they are. */
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
  /** Connections that are not yet allowed anything. One more, and the oldest of them has to go. */
  readonly maxStrangers: number
  /** For the first four bytes, and for the TLS handshake. */
  readonly handshakeTimeout: number
  /** Unsent bytes of a connection above which it gets no more messages; four times as many, and it is not read either. */
  readonly maxUnsent: number
  /** Bytes of unfinished bodies over all connections. */
  readonly maxUnread: number
  /** Messages of a channel that were handed out and not finished, deferred ones included. */
  readonly maxOutstanding: number
  /** How long what channels have finished may be missing from the log; after a crash it is delivered again. */
  readonly saveInterval: number
  /** Memory for messages that were just published or are about to be read. */
  readonly cacheSize: number
}

export interface Retention {
  /** Messages older than this are dropped, read or not. */
  readonly age: number
  /** Bytes of message bodies over all topics. */
  readonly size: number
  /** How often the log is tidied. */
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
  // Our choice, from here on: nsqd has no such limits.
  maxChannels: 1000,
  maxConnections: 2000,
  maxStrangers: 256,
  handshakeTimeout: 5000,
  maxUnsent: 256 * 1024,
  maxUnread: 64 * 1024 * 1024,
  maxOutstanding: 100_000,
  saveInterval: 100,
  cacheSize: 32 * 1024 * 1024,
}

// Our choice: a consumer that was away over a long weekend misses nothing, and the disk does not fill without end.
export const defaultRetention: Retention = {
  age: 7 * 24 * 60 * 60 * 1000,
  size: 4 * 1024 * 1024 * 1024,
  interval: 1000,
}

/** The version of the protocol's server that this endpoint speaks like. Clients compare it: it must look like `1.x.y`. */
export const version = '1.3.0'
