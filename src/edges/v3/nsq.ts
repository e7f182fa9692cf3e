/**
 * NSQ lookup and reader statistics. NSQ clients use the lookup as if it were nsqlookupd, so it answers like
 * nsqlookupd, with real HTTP statuses and a body that old and new clients can read. The statistics are an ordinary v3
 * operation.
 */
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { Type } from 'typebox'
import { readableTopics, type StreamAccessDeps } from '../../core/stream/access.js'
import type { ClientStats, DaemonStats, Stream } from '../../core/stream/stream.js'
import { Refusal } from '../../core/values/refusal.js'
import { documentOnly } from '../http/described.js'
import { logFailure } from '../http/log-failure.js'
import { rateHeaders } from '../http/request-limits.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { argument, optional } from './about.js'
import { Arguments } from './arguments.js'
import { ok } from './envelope.js'
import { invalidArgument, type Status, statusOf, unexpected } from './errors.js'
import type { Operations, V3Request, V3Result } from './operation.js'

export interface NsqDeps extends StreamAccessDeps {
  readonly stream: Stream
}

export function nsqOperations(deps: NsqDeps): Operations {
  return {
    '/v3/nsq/stats': {
      scope: ['links:read', 'analytics:read'],
      summary: 'Get statistics of stream readers',
      description: 'Of the topics that you may read: their channels, depths and clients.',
      query: { topic: optional('Only this topic') },
      data: { topics: [{ topic_name: 'clicks', producers: ['stream.example.com:4150'], channels: [] }] },
      run: (request) => stats(deps, request),
    },
  }
}

export function lookupRoute(http: TypedFastify, deps: NsqDeps): void {
  http.get(
    lookupPath,
    { schema: lookupSchema, ...documentOnly, errorHandler: refuseLookup },
    async (request, reply) => {
      const args = new Arguments(request.url)
      // nsqlookupd offers only JSON.
      args.oneOf('format', ['json'])
      const topic = args.required('topic')
      if (!isTopic(topic)) throw invalidArgument('topic')
      const topics = await requireReader(deps, { actor: request.actor, args })
      if (!topics.includes(topic)) throw new Refusal('FORBIDDEN', 'You may not read this topic.')
      const [producers, { daemons }] = await Promise.all([deps.stream.lookup(topic), deps.stream.stats()])
      const found = { channels: channelsOf(daemons, topic), producers }
      return sendLookup(reply, ok, { ...found, data: found })
    },
  )
}

export const lookupPath = '/v3/nsq/lookup'

const found = { channels: ['archive'], producers: [{ broadcast_address: 'stream.example.com', tcp_port: 4150 }] }
const lookupSchema: FastifySchema = {
  operationId: 'v3NsqLookup',
  tags: ['Stream'],
  summary: 'Find the daemons that serve a topic',
  description:
    'For NSQ clients, which take it for an nsqlookupd: with real HTTP statuses, and the token also in an ' +
    '`Authorization: Bearer` header.',
  querystring: Type.Object({ topic: argument('A topic that you may read', 'clicks') }),
  response: {
    200: {
      description: 'The daemons, for old and new clients',
      content: {
        'application/json': {
          schema: Type.Object({ channels: Type.Array(Type.String()), producers: Type.Array(Type.Object({})) }),
          example: { status_code: 200, status_txt: 'OK', ...found, data: found },
        },
      },
    },
  },
}

/**
 * NSQ clients since 1.0 read the top level and require the header; older ones read `data`. None handles a 200 without
 * producers, so errors need an HTTP status.
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
  if (status === unexpected) logFailure(request, error)
  if (error instanceof Refusal) reply.headers(rateHeaders(error.details))
  const { text } = status
  return sendLookup(reply, { code: lookupCode(status), text }, { data: null, message: text })
}

/** A 500 of v3 is the caller's mistake: nsqlookupd's 400, or 403 for authentication errors. */
function lookupCode({ code, text }: Status): number {
  if (text.endsWith('_ACCESS_TOKEN')) return 403
  return code === 500 ? 400 : code
}

async function stats(deps: NsqDeps, request: V3Request): Promise<V3Result> {
  const wanted = request.args.text('topic')
  const readable = await requireReader(deps, request)
  // Without a topic: all topics that the caller may read. A topic that does not exist looks like one of somebody
  // else.
  const topics = readable.filter((topic) => wanted === undefined || topic === wanted)
  const { daemons } = await deps.stream.stats()
  return { data: { topics: topics.flatMap((topic) => topicAt(daemons, topic)) } }
}

/** Only callers who are allowed to read the stream. */
async function requireReader(deps: NsqDeps, { actor }: V3Request): Promise<readonly string[]> {
  const topics = await readableTopics(deps, actor)
  if (topics.length === 0) throw new Refusal('FORBIDDEN', 'You may not read the stream. Ask your operator to allow it.')
  return topics
}

/** One entry per channel and daemon, since a client connected to one daemon cannot read the queue of another. */
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

/** nsqd calls the client name `client_id` since 1.0 and omits an empty identity. */
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

/** nsqd's rule for topic names. */
function isTopic(text: string): boolean {
  return text.length <= 64 && /^[.\w-]+(#ephemeral)?$/.test(text)
}
