/** IDENTIFY: parses the client's settings and builds the negotiation response. */
import type { Limits } from './options.js'
import { version } from './options.js'
import { ProtocolError } from './protocol-error.js'

/** Negotiated settings of a connection. Times in milliseconds; heartbeat interval 0 disables heartbeats. */
export interface Settings {
  readonly clientId: string
  readonly hostname: string
  readonly userAgent: string
  readonly heartbeatInterval: number
  readonly outputBufferSize: number
  readonly outputBufferTimeout: number
  readonly messageTimeout: number
  readonly sampleRate: number
}

/** TLS and compression that the client asks for with feature negotiation. */
export interface RequestedLayers {
  readonly tls: boolean
  readonly deflate: boolean
  readonly deflateLevel: number
}

export interface Identification {
  readonly settings: Settings
  readonly negotiates: boolean
  readonly requested: RequestedLayers
}

export interface Granted {
  readonly tls: boolean
  readonly deflate: boolean
  readonly deflateLevel: number
}

export function defaultSettings(limits: Limits, remoteAddress: string): Settings {
  return {
    clientId: remoteAddress,
    hostname: remoteAddress,
    userAgent: '',
    heartbeatInterval: limits.heartbeatInterval,
    outputBufferSize: limits.outputBufferSize,
    outputBufferTimeout: limits.outputBufferTimeout,
    messageTimeout: limits.messageTimeout,
    sampleRate: 0,
  }
}

export function readIdentification(body: Buffer, limits: Limits, before: Settings): Identification {
  const fields = new Fields(body)
  const heartbeat = fields.number('heartbeat_interval')
  const heartbeatInterval = heartbeat === 0 ? before.heartbeatInterval : heartbeat === -1 ? 0 : heartbeat
  inRange('heartbeat interval', heartbeat, heartbeat === 0 || heartbeat === -1, 1000, limits.maxHeartbeatInterval)

  const timeout = fields.number('output_buffer_timeout')
  const { minOutputBufferTimeout, maxOutputBufferTimeout, maxOutputBufferSize } = limits
  const timeoutAsDefault = timeout === 0 || timeout === -1
  inRange('output buffer timeout', timeout, timeoutAsDefault, minOutputBufferTimeout, maxOutputBufferTimeout)
  const size = fields.number('output_buffer_size')
  inRange('output buffer size', size, size === 0 || size === -1, 64, maxOutputBufferSize)

  const sampleRate = fields.number('sample_rate')
  inRange('sample rate', sampleRate, false, 0, 99)
  const messageTimeout = fields.number('msg_timeout')
  inRange('msg timeout', messageTimeout, messageTimeout === 0, 1000, limits.maxMessageTimeout)

  return {
    settings: {
      clientId: fields.text('client_id'),
      hostname: fields.text('hostname'),
      userAgent: fields.text('user_agent'),
      heartbeatInterval,
      outputBufferSize: size === 0 ? before.outputBufferSize : size === -1 ? 1 : size,
      outputBufferTimeout: timeout === -1 || size === -1 ? 0 : timeout === 0 ? before.outputBufferTimeout : timeout,
      messageTimeout: messageTimeout === 0 ? before.messageTimeout : messageTimeout,
      sampleRate,
    },
    negotiates: fields.flag('feature_negotiation'),
    requested: {
      tls: fields.flag('tls_v1'),
      deflate: fields.flag('deflate'),
      deflateLevel: fields.number('deflate_level'),
    },
  }
}

/** Snappy is never granted: a client that asks for both kinds of compression gets deflate. */
export function grant(requested: RequestedLayers, limits: Limits, hasCertificate: boolean): Granted {
  const level = requested.deflate && requested.deflateLevel > 0 ? requested.deflateLevel : 6
  return {
    tls: requested.tls && hasCertificate,
    deflate: requested.deflate,
    deflateLevel: Math.min(level, limits.maxDeflateLevel),
  }
}

export function negotiationAnswer(settings: Settings, granted: Granted, limits: Limits, authRequired: boolean): string {
  return JSON.stringify({
    max_rdy_count: limits.maxReadyCount,
    version,
    max_msg_timeout: limits.maxMessageTimeout,
    msg_timeout: settings.messageTimeout,
    tls_v1: granted.tls,
    deflate: granted.deflate,
    deflate_level: granted.deflateLevel,
    max_deflate_level: limits.maxDeflateLevel,
    snappy: false,
    sample_rate: settings.sampleRate,
    auth_required: authRequired,
    output_buffer_size: settings.outputBufferSize,
    output_buffer_timeout: settings.outputBufferTimeout,
  })
}

function inRange(what: string, value: number, special: boolean, min: number, max: number): void {
  if (!special && (value < min || value > max))
    throw new ProtocolError('E_BAD_BODY', `IDENTIFY ${what} (${value}) is invalid`)
}

/** The JSON body; null counts as an empty object. A missing or null field has the zero value of its type, as in Go. */
class Fields {
  readonly #values: Record<string, unknown>

  constructor(body: Buffer) {
    const values: unknown = parse(body) ?? {}
    if (typeof values !== 'object' || Array.isArray(values)) throw undecodable()
    this.#values = values as Record<string, unknown>
  }

  text(name: string): string {
    const value = this.#values[name] ?? ''
    if (typeof value !== 'string') throw undecodable()
    return value
  }

  flag(name: string): boolean {
    const value = this.#values[name] ?? false
    if (typeof value !== 'boolean') throw undecodable()
    return value
  }

  number(name: string): number {
    const value = this.#values[name] ?? 0
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw undecodable()
    return value
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw undecodable()
  }
}

function undecodable(): ProtocolError {
  return new ProtocolError('E_BAD_BODY', 'IDENTIFY failed to decode JSON body')
}
