import type { SecureContext } from 'node:tls'
import type { Authorize } from './authorization.js'
import type { Channel } from './channel.js'
import type { Client } from './client.js'
import type { Limits, NsqdOptions } from './options.js'
import type { ProtocolError } from './protocol-error.js'

/** What a connection asks of the server it belongs to. */
export interface Host {
  readonly limits: Limits
  readonly secureContext: SecureContext | undefined
  readonly tlsRequired: boolean
  readonly authorize: Authorize | undefined
  readonly log: NsqdOptions['log']
  subscribe(client: Client, topic: string, channel: string): Channel
  publish(topic: string, messages: readonly Buffer[], delay: number): void
  /** The connection is allowed something from now on. */
  admit(client: Client): void
  /** Bodies that are not complete take this much more memory; false when there is none left for them. */
  hold(bytes: number): boolean
  leave(client: Client): void
  failed(error: ProtocolError): void
}
