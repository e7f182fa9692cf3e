/** What the checks run against: an nsqd of any make that can be started with a few settings and asked for its numbers. */
import { randomBytes } from 'node:crypto'
import type { ClientStats } from '../../../src/engines/nsqd/stats.js'

export interface Subject {
  readonly name: string
  readonly offersSnappy: boolean
  /** Milliseconds by which it may be late to notice a time-out or the end of a delay. */
  readonly slack: number
  start(settings?: EndpointSettings): Promise<Endpoint>
}

export interface EndpointSettings {
  readonly tls?: boolean
  readonly tlsRequired?: boolean
  /** What is known about each secret; `failing` is a secret about which nobody can say anything. */
  readonly secrets?: Readonly<Record<string, Account | 'failing'>>
}

export interface Account {
  readonly identity: string
  readonly subscribe: readonly string[]
  readonly publish: readonly string[]
}

export interface Endpoint {
  readonly port: number
  /** Past the protocol, as the operator of the endpoint does. */
  publish(topic: string, ...bodies: readonly string[]): Promise<void>
  stats(topic: string): Promise<TopicNumbers | undefined>
  pauseChannel(topic: string, channel: string, paused: boolean): Promise<void>
  stop(): Promise<void>
}

export interface TopicNumbers {
  readonly topic_name: string
  readonly depth: number
  readonly message_count: number
  readonly channels: readonly ChannelNumbers[]
}

export interface ChannelNumbers {
  readonly channel_name: string
  readonly depth: number
  readonly backend_depth: number
  readonly in_flight_count: number
  readonly deferred_count: number
  readonly message_count: number
  readonly requeue_count: number
  readonly timeout_count: number
  readonly paused: boolean
  readonly clients: readonly ClientStats[]
}

/** A name that no other check uses: they share an endpoint. */
export function aTopic(): string {
  return `t-${randomBytes(6).toString('hex')}`
}

export async function channelOf(endpoint: Endpoint, topic: string, channel: string): Promise<ChannelNumbers> {
  const found = (await endpoint.stats(topic))?.channels.find(({ channel_name }) => channel_name === channel)
  if (!found) throw new Error(`there is no channel ${channel}`)
  return found
}

/** Numbers may lag behind what a client sees by a moment. */
export async function eventually(look: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + 60_000
  for (;;) {
    try {
      await look()
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
