/**
 * Where the stream is, and how its readers do. Lookup is asked by NSQ clients, which take it for an nsqlookupd: it
 * answers as one does, with real statuses, in a body that old and new clients read alike. Statistics are an operation
 * like any other.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readableTopics, type StreamAccessDeps } from '../../core/stream/access.js'
import type { ClientStats, DaemonStats, Stream } from '../../core/stream/stream.js'
import { Refusal } from '../../core/values/refusal.js'
import { rateHeaders } from '../http/request-limits.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { Arguments } from './arguments.js'
import { ok } from './envelope.js'
import { invalidArgument, type Status, statusOf, unexpected } from './errors.js'
import type { Answer, Operation, Question } from './operation.js'

export interface NsqDeps extends StreamAccessDeps {
  readonly stream: Stream
}

export function nsqOperations(deps: NsqDeps): readonly Operation[] {
  return [{ path: '/v3/nsq/stats', answer: (question) => stats(deps, question) }]
}

export function lookupRoute(http: TypedFastify, deps: NsqDeps): void {
  http.get(lookupPath, { schema: { hide: true }, errorHandler: refuseLookup }, async (request, reply) => {
    const args = new Arguments(request.url)
    // Our choice: nsqlookupd knows nothing but JSON.
    args.oneOf('format', ['json'])
    const topic = args.required('topic')
    if (!isTopic(topic)) throw invalidArgument('topic')
    const topics = await requireReader(deps, { actor: request.actor, args })
    if (!topics.includes(topic)) throw new Refusal('FORBIDDEN', 'You may not read this topic.')
    const [producers, { daemons }] = await Promise.all([deps.stream.lookup(topic), deps.stream.stats()])
    const found = { channels: channelsOf(daemons, topic), producers }
    return sendLookup(reply, ok, { ...found, data: found })
  })
}

export const lookupPath = '/v3/nsq/lookup'

/**
 * Clients since 1.0 read the top and want the header, older ones read `data`; none understands a 200 without producers,
 * so that a refusal has a status of its own.
 */
function sendLookup(reply: FastifyReply, { code, text }: Status, body: object): FastifyReply {
  return reply
    .code(code)
    .header('x-nsq-content-type', 'nsq; version=1.0')
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ status_code: code, status_txt: text, ...body }))
}

function refuseLookup(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const status = statusOf(error) ?? unexpected
  if (status === unexpected) request.log.error({ err: error, route: request.routeOptions.url }, 'request failed')
  if (error instanceof Refusal) reply.headers(rateHeaders(error.details))
  const { text } = status
  return sendLookup(reply, { code: lookupCode(status), text }, { data: null, message: text })
}

/** What v3 calls 500 is the caller's mistake: nsqlookupd's 400, or 403 where it is about who they are. */
function lookupCode({ code, text }: Status): number {
  if (text.endsWith('_ACCESS_TOKEN')) return 403
  return code === 500 ? 400 : code
}

async function stats(deps: NsqDeps, question: Question): Promise<Answer> {
  const wanted = question.args.text('topic')
  const readable = await requireReader(deps, question)
  // Our choice: without a topic all that may be read. One that does not exist looks like one that is not yours.
  const topics = readable.filter((topic) => wanted === undefined || topic === wanted)
  const { daemons } = await deps.stream.stats()
  return { data: { topics: topics.flatMap((topic) => topicAt(daemons, topic)) } }
}

/** Only for those who were allowed to read the stream. */
async function requireReader(deps: NsqDeps, { actor }: Question): Promise<readonly string[]> {
  const topics = await readableTopics(deps, actor)
  if (topics.length === 0) throw new Refusal('FORBIDDEN', 'You may not read the stream. Ask your operator to allow it.')
  return topics
}

/** One entry for each channel at each daemon: what waits at one is of no use to a reader of another. */
function topicAt(daemons: readonly DaemonStats[], name: string) {
  const having = daemons.flatMap(({ address, topics }) =>
    topics.filter((topic) => topic.topic_name === name).map(({ channels }) => ({ address, channels })),
  )
  if (having.length === 0) return []
  const channels = having.flatMap(({ address, channels }) =>
    channels.map((channel) => ({
      channel_name: channel.channel_name,
      producer: address,
      depth: channel.depth,
      backend_depth: channel.backend_depth,
      in_flight_count: channel.in_flight_count,
      deferred_count: channel.deferred_count,
      timeout_count: channel.timeout_count,
      requeue_count: channel.requeue_count,
      message_count: channel.message_count,
      paused: channel.paused,
      clients: channel.clients.map(clientOf),
    })),
  )
  return [{ topic_name: name, producers: having.map(({ address }) => address), channels }]
}

/** Daemons call the name `client_id` since 1.0, and leave out an identity that is not there. */
function clientOf(client: ClientStats) {
  return {
    client_id: client.client_id,
    name: client.client_id,
    hostname: client.hostname,
    auth_identity: client.auth_identity ?? '',
    user_agent: client.user_agent,
    version: client.version,
    state: client.state,
    remote_address: client.remote_address,
    connect_ts: client.connect_ts,
    requeue_count: client.requeue_count,
    finish_count: client.finish_count,
    message_count: client.message_count,
    in_flight_count: client.in_flight_count,
    ready_count: client.ready_count,
    sample_rate: client.sample_rate,
    tls: client.tls,
    deflate: client.deflate,
    snappy: client.snappy,
  }
}

function channelsOf(daemons: readonly DaemonStats[], name: string): readonly string[] {
  const topics = daemons.flatMap(({ topics }) => topics.filter((topic) => topic.topic_name === name))
  return [...new Set(topics.flatMap(({ channels }) => channels.map((channel) => channel.channel_name)))].sort()
}

/** nsqd's rule for names. */
function isTopic(text: string): boolean {
  return text.length <= 64 && /^[.\w-]+(#ephemeral)?$/.test(text)
}
