/** Parses responses of nsqd and nsqlookupd defensively: lists may be null, fields may be missing, versions differ. */
import type { ChannelStats, ClientStats, Producer, TopicStats } from '../../core/stream/stream.js'
import { isObject } from '../../lib/is-object.js'

type Fields = Readonly<Record<string, unknown>>

/** Since 1.0 the list is at the top level, before it was inside `data`; null and missing count as empty. */
export function listOf(answer: unknown, name: string): readonly unknown[] {
  if (!isObject(answer)) return []
  const list = answer[name] ?? (isObject(answer.data) ? answer.data[name] : undefined)
  return Array.isArray(list) ? list : []
}

/** A list with the producer, or an empty list when it is invalid. */
export function producerOf(answer: unknown): readonly Producer[] {
  if (!isObject(answer) || !text(answer, 'broadcast_address') || !number(answer, 'tcp_port')) return []
  return [
    {
      remote_address: text(answer, 'remote_address'),
      hostname: text(answer, 'hostname'),
      broadcast_address: text(answer, 'broadcast_address'),
      tcp_port: number(answer, 'tcp_port'),
      http_port: number(answer, 'http_port'),
      version: text(answer, 'version'),
    },
  ]
}

export function topicOf(answer: unknown): readonly TopicStats[] {
  if (!isObject(answer)) return []
  return [
    {
      topic_name: text(answer, 'topic_name'),
      depth: number(answer, 'depth'),
      message_count: number(answer, 'message_count'),
      channels: listOf(answer, 'channels').filter(isObject).map(channelOf),
    },
  ]
}

export function addressOf(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function channelOf(channel: Fields): ChannelStats {
  return {
    channel_name: text(channel, 'channel_name'),
    depth: number(channel, 'depth'),
    backend_depth: number(channel, 'backend_depth'),
    in_flight_count: number(channel, 'in_flight_count'),
    deferred_count: number(channel, 'deferred_count'),
    message_count: number(channel, 'message_count'),
    requeue_count: number(channel, 'requeue_count'),
    timeout_count: number(channel, 'timeout_count'),
    clients: listOf(channel, 'clients').filter(isObject).map(clientOf),
    paused: channel.paused === true,
  }
}

function clientOf(client: Fields): ClientStats {
  return {
    client_id: text(client, 'client_id'),
    hostname: text(client, 'hostname'),
    user_agent: text(client, 'user_agent'),
    version: text(client, 'version'),
    state: number(client, 'state'),
    remote_address: text(client, 'remote_address'),
    connect_ts: number(client, 'connect_ts'),
    message_count: number(client, 'message_count'),
    finish_count: number(client, 'finish_count'),
    requeue_count: number(client, 'requeue_count'),
    in_flight_count: number(client, 'in_flight_count'),
    ready_count: number(client, 'ready_count'),
    sample_rate: number(client, 'sample_rate'),
    tls: client.tls === true,
    deflate: client.deflate === true,
    snappy: client.snappy === true,
    auth_identity: text(client, 'auth_identity'),
  }
}

function text(fields: Fields, name: string): string {
  const value = fields[name]
  return typeof value === 'string' ? value : ''
}

function number(fields: Fields, name: string): number {
  const value = fields[name]
  return typeof value === 'number' ? value : 0
}
