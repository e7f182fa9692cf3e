/** Statistics in the shape and field names of nsqd's `/stats?format=json`, and plain counters. */
import type { Channel } from './channel.js'
import { Client, type ClientState } from './client.js'
import { version } from './options.js'
import type { Topic } from './topic.js'

export interface NsqdStats {
  readonly version: string
  /** `OK`, or `NOK - ` and the error. */
  readonly health: string
  /** Seconds since 1970. */
  readonly start_time: number
  readonly topics: readonly TopicStats[]
  /** Connections that have published. */
  readonly producers: readonly ClientStats[]
}

interface TopicStats {
  readonly topic_name: string
  readonly channels: readonly ChannelStats[]
  readonly depth: number
  readonly backend_depth: number
  readonly message_count: number
  readonly message_bytes: number
  readonly paused: boolean
  readonly e2e_processing_latency: typeof noLatency
}

interface ChannelStats {
  readonly channel_name: string
  readonly depth: number
  readonly backend_depth: number
  readonly in_flight_count: number
  readonly deferred_count: number
  readonly message_count: number
  readonly requeue_count: number
  readonly timeout_count: number
  /** Not in nsqd: messages that the log dropped before the channel finished them, since the channel was created. */
  readonly lost_count: number
  readonly client_count: number
  readonly clients: readonly ClientStats[]
  readonly paused: boolean
  readonly e2e_processing_latency: typeof noLatency
}

export interface ClientStats {
  readonly client_id: string
  readonly hostname: string
  readonly version: 'V2'
  readonly remote_address: string
  readonly state: number
  readonly ready_count: number
  readonly in_flight_count: number
  readonly message_count: number
  readonly finish_count: number
  readonly requeue_count: number
  readonly connect_ts: number
  readonly sample_rate: number
  readonly deflate: boolean
  readonly snappy: boolean
  readonly user_agent: string
  readonly authed?: boolean
  readonly auth_identity?: string
  readonly auth_identity_url?: string
  readonly pub_counts?: readonly { readonly topic: string; readonly count: number }[]
  readonly tls: boolean
  readonly tls_cipher_suite: string
  readonly tls_version: string
  readonly tls_negotiated_protocol: string
  readonly tls_negotiated_protocol_is_mutual: boolean
}

export interface StatsFilter {
  readonly topic?: string
  readonly channel?: string
}

export function collectStats(
  topics: Iterable<Topic>,
  clients: Iterable<Client>,
  { topic, channel }: StatsFilter,
  { health, startedAt }: { health: string; startedAt: number },
): NsqdStats {
  const wanted = [...topics].filter(({ name }) => topic === undefined || name === topic)
  const producers = [...clients].filter(({ publishedTo }) => publishedTo.size > 0)
  return {
    version,
    health,
    start_time: Math.floor(startedAt / 1000),
    topics: wanted.sort(byName).map((found) => topicStats(found, channel)),
    producers: producers.map(clientStats),
  }
}

function topicStats(topic: Topic, channel: string | undefined): TopicStats {
  const wanted = [...topic.channels.values()].filter(({ name }) => channel === undefined || name === channel)
  return {
    topic_name: topic.name,
    channels: wanted.sort(byName).map(channelStats),
    depth: topic.depth,
    backend_depth: topic.depth,
    message_count: topic.counts.messages,
    message_bytes: topic.counts.bytes,
    paused: false,
    e2e_processing_latency: noLatency,
  }
}

function channelStats(channel: Channel): ChannelStats {
  const clients = channel.consumers.filter((consumer) => consumer instanceof Client)
  return {
    channel_name: channel.name,
    depth: channel.depth,
    // All waiting messages are on disk, so it equals depth.
    backend_depth: channel.ephemeral ? 0 : channel.depth,
    in_flight_count: channel.inFlightCount,
    deferred_count: channel.deferredCount,
    message_count: channel.counts.messages,
    requeue_count: channel.counts.requeues,
    timeout_count: channel.counts.timeouts,
    lost_count: channel.counts.lost,
    client_count: clients.length,
    clients: clients.map(clientStats),
    paused: channel.paused,
    e2e_processing_latency: noLatency,
  }
}

function clientStats(client: Client): ClientStats {
  const { settings, tls } = client
  const authorization = client.credentials.answer
  const authed = (authorization?.grants.length ?? 0) > 0
  return {
    client_id: settings.clientId,
    hostname: settings.hostname,
    version: 'V2',
    remote_address: joined(client.remoteAddress, client.remotePort),
    state: stateNumbers[client.state],
    ready_count: client.ready,
    in_flight_count: client.inFlight,
    message_count: client.counts.messages,
    finish_count: client.counts.finished,
    requeue_count: client.counts.requeued,
    connect_ts: Math.floor(client.connectedAt / 1000),
    sample_rate: settings.sampleRate,
    deflate: client.deflate,
    snappy: false,
    user_agent: settings.userAgent,
    ...(authed && { authed }),
    ...(authorization?.identity && { auth_identity: authorization.identity }),
    ...(authorization?.identityUrl && { auth_identity_url: authorization.identityUrl }),
    ...(client.publishedTo.size > 0 && {
      pub_counts: [...client.publishedTo].map(([topic, count]) => ({ topic, count })),
    }),
    tls: tls !== undefined,
    tls_cipher_suite: tls?.cipherSuite ?? '',
    tls_version: tls?.version ?? '',
    tls_negotiated_protocol: tls?.protocol ?? '',
    tls_negotiated_protocol_is_mutual: tls !== undefined && tls.protocol !== '',
  }
}

/** nsqd's state numbers; 1 and 2 are not used here. */
const stateNumbers: Record<ClientState, number> = { init: 0, subscribed: 3, closing: 4 }

/** Not measured, as in an nsqd without configured percentiles. */
const noLatency = { count: 0, percentiles: null } as const

function joined(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1
}
