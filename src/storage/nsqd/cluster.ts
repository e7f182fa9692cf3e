/**
 * External daemons as the edges see them: nsqlookupd says which daemon has a topic, and the HTTP interfaces report
 * statistics. A daemon that does not answer is reported as such and does not affect the others.
 */
import { publisherSecret } from '../../core/stream/access.js'
import type {
  ChannelStats,
  ClientStats,
  DaemonStats,
  Producer,
  Stream,
  StreamDaemon,
  TopicStats,
} from '../../core/stream/stream.js'
import { Refusal } from '../../core/values/refusal.js'
import { isObject } from '../../lib/is-object.js'
import { reasonOf } from './daemon.js'
import { tcpAddress } from './tcp-daemon.js'

export interface ClusterAddresses {
  /** `host:port` */
  readonly nsqdTcpAddresses: readonly string[]
  /** Origins, also below. */
  readonly nsqdHttpAddresses: readonly string[]
  readonly nsqlookupdHttpAddresses: readonly string[]
  /** For the service's own readers. */
  readonly nsqdAuthSecret?: string | undefined
}

export interface ClusterDeps {
  /** Called once when an address stops answering, until it answers again. */
  readonly onFailure: (address: string, reason: string) => void
}

/** What the daemons do by themselves; the rest depends on who publishes. */
export interface NsqdCluster extends Omit<Stream, 'accessChanged'> {
  /** For readers in this process. */
  daemons(): Promise<readonly StreamDaemon[]>
  /** Drops a channel and its unread messages, if it exists. */
  deleteChannel(topic: string, channel: string): Promise<void>
}

export function nsqdCluster(addresses: ClusterAddresses, { onFailure }: ClusterDeps): NsqdCluster {
  const { nsqdTcpAddresses, nsqdHttpAddresses, nsqlookupdHttpAddresses } = addresses
  const silent = new Set<string>()

  async function ask(origin: string, path: string, method = 'GET'): Promise<Got> {
    const answer = await request(origin, path, method)
    if ('body' in answer) silent.delete(origin)
    else if (!silent.has(origin)) {
      silent.add(origin)
      onFailure(origin, answer.failure)
    }
    return answer
  }

  async function lookedUp(path: string): Promise<readonly Producer[]> {
    const answers = await Promise.all(nsqlookupdHttpAddresses.map((origin) => ask(origin, path)))
    const found = new Map<string, Producer>()
    for (const producer of answers.flatMap((answer) => listOf(bodyOf(answer), 'producers')).flatMap(producerOf)) {
      found.set(addressOf(producer.broadcast_address, producer.tcp_port), producer)
    }
    return [...found.values()]
  }

  async function configured(): Promise<readonly Producer[]> {
    if (nsqdHttpAddresses.length === 0) return nsqdTcpAddresses.map(asConfigured)
    const answers = await Promise.all(nsqdHttpAddresses.map((origin) => ask(origin, '/info')))
    return answers.map(bodyOf).flatMap(producerOf)
  }

  /** The host of its HTTP address, because the announced one may not be reachable from here, with its TCP port. */
  async function tcpOf(origin: string): Promise<Omit<StreamDaemon, 'secret'> | undefined> {
    const [info] = producerOf(bodyOf(await ask(origin, '/info')))
    return info && { host: new URL(origin).hostname.replace(/^\[|\]$/g, ''), port: info.tcp_port }
  }

  async function statsAt(origin: string, known: Producer | undefined): Promise<DaemonStats> {
    const [info, stats] = await Promise.all([
      known ?? ask(origin, '/info').then((answer) => producerOf(bodyOf(answer))[0]),
      ask(origin, '/stats?format=json&include_mem=false'),
    ])
    const address = info ? addressOf(info.broadcast_address, info.http_port) : new URL(origin).host
    if ('failure' in stats) return { address, health: stats.failure, topics: [] }
    const health = isObject(stats.body) && typeof stats.body.health === 'string' ? stats.body.health : ''
    return { address, health, topics: listOf(stats.body, 'topics').flatMap(topicOf) }
  }

  return {
    async lookup(topic) {
      const found = await lookedUp(`/lookup?topic=${encodeURIComponent(topic)}`)
      // If no daemon has the topic yet, it will be on the configured ones; a reader can create its channel there before
      // the first click.
      const producers = found.length > 0 ? found : await configured()
      if (producers.length > 0) return producers
      throw new Refusal('TEMPORARILY_UNAVAILABLE', 'No nsqd of the stream answers. Try again in a few seconds.')
    },

    async stats() {
      // Configured addresses first: the addresses that daemons announce are for readers and may not be reachable from
      // here.
      if (nsqdHttpAddresses.length > 0) {
        return { daemons: await Promise.all(nsqdHttpAddresses.map((origin) => statsAt(origin, undefined))) }
      }
      const nodes = await lookedUp('/nodes')
      const daemons = nodes.map((node) => statsAt(`http://${addressOf(node.broadcast_address, node.http_port)}`, node))
      return { daemons: await Promise.all(daemons) }
    },

    async daemons() {
      const secret = addresses.nsqdAuthSecret === undefined ? undefined : publisherSecret(addresses.nsqdAuthSecret)
      if (nsqdTcpAddresses.length > 0) return nsqdTcpAddresses.map((address) => ({ ...tcpAddress(address), secret }))
      const found = await Promise.all(nsqdHttpAddresses.map(tcpOf))
      return found.flatMap((daemon) => (daemon ? [{ ...daemon, secret }] : []))
    },

    async deleteChannel(topic, channel) {
      const query = `topic=${encodeURIComponent(topic)}&channel=${encodeURIComponent(channel)}`
      await Promise.all(nsqdHttpAddresses.map((origin) => ask(origin, `/channel/delete?${query}`, 'POST')))
    },
  }
}

// pynsq allows two seconds for the whole lookup, and there may be two requests in sequence.
const timeout = 900

type Got = { readonly body: unknown } | { readonly failure: string }

function bodyOf(answer: Got): unknown {
  return 'body' in answer ? answer.body : undefined
}

async function request(origin: string, path: string, method: string): Promise<Got> {
  try {
    const answer = await fetch(origin + path, {
      method,
      headers: { accept: 'application/vnd.nsq; version=1.0' },
      signal: AbortSignal.timeout(timeout),
      redirect: 'error',
    })
    const text = await answer.text()
    // nsqlookupd's response when no daemon has the topic, and nsqd's to the deletion of what it does not have.
    if (answer.status === 404 && /(TOPIC|CHANNEL)_NOT_FOUND/.test(text)) return { body: undefined }
    if (!answer.ok) return { failure: `status ${answer.status}` }
    return { body: text === '' ? undefined : (JSON.parse(text) as unknown) }
  } catch (error) {
    return { failure: reasonOf(error) }
  }
}

function asConfigured(address: string): Producer {
  const { host, port } = tcpAddress(address)
  const tcp = { remote_address: address, hostname: host, broadcast_address: host, tcp_port: port }
  return { ...tcp, http_port: 0, version: '' }
}

// Responses of nsqd and nsqlookupd are parsed defensively: lists may be null, fields may be missing, versions differ.

type Fields = Readonly<Record<string, unknown>>

/** Since 1.0 the list is at the top level, before it was inside `data`; null and missing count as empty. */
function listOf(answer: unknown, name: string): readonly unknown[] {
  if (!isObject(answer)) return []
  const list = answer[name] ?? (isObject(answer.data) ? answer.data[name] : undefined)
  return Array.isArray(list) ? list : []
}

/** A list with the producer, or an empty list when it is invalid. */
function producerOf(answer: unknown): readonly Producer[] {
  if (!isObject(answer) || !text(answer, 'broadcast_address') || !number(answer, 'tcp_port')) return []
  return [
    {
      ...texts(answer, 'remote_address', 'hostname', 'broadcast_address', 'version'),
      ...numbers(answer, 'tcp_port', 'http_port'),
    },
  ]
}

export function topicOf(answer: unknown): readonly TopicStats[] {
  if (!isObject(answer)) return []
  return [
    {
      ...texts(answer, 'topic_name'),
      ...numbers(answer, 'depth', 'message_count'),
      channels: listOf(answer, 'channels').filter(isObject).map(channelOf),
    },
  ]
}

function addressOf(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function channelOf(channel: Fields): ChannelStats {
  return {
    ...texts(channel, 'channel_name'),
    ...numbers(channel, 'depth', 'backend_depth', 'in_flight_count', 'deferred_count'),
    ...numbers(channel, 'message_count', 'requeue_count', 'timeout_count'),
    clients: listOf(channel, 'clients').filter(isObject).map(clientOf),
    paused: channel.paused === true,
  }
}

function clientOf(client: Fields): ClientStats {
  return {
    ...texts(client, 'client_id', 'hostname', 'user_agent', 'version', 'remote_address', 'auth_identity'),
    ...numbers(client, 'state', 'connect_ts', 'message_count', 'finish_count', 'requeue_count'),
    ...numbers(client, 'in_flight_count', 'ready_count', 'sample_rate'),
    tls: client.tls === true,
    deflate: client.deflate === true,
    snappy: client.snappy === true,
  }
}

function texts<Name extends string>(fields: Fields, ...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, text(fields, name)])) as Record<Name, string>
}

function numbers<Name extends string>(fields: Fields, ...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, number(fields, name)])) as Record<Name, number>
}

function text(fields: Fields, name: string): string {
  const value = fields[name]
  return typeof value === 'string' ? value : ''
}

function number(fields: Fields, name: string): number {
  const value = fields[name]
  return typeof value === 'number' ? value : 0
}
