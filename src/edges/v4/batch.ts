/**
 * Several reads in one request, for pages that show many small things. Each runs as a request of its own, with the same
 * checks and limits (docs/api/README.md#several-reads-at-once). An addition to the public API.
 */
import type { FastifyRequest } from 'fastify'
import type { Response } from 'light-my-request'
import { Type } from 'typebox'
import { invalid, Refusal } from '../../core/values/refusal.js'
import { chunks } from '../../lib/chunks.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { bounds } from '../http/validation.js'
import { answerV4 } from './errors.js'
import { type RequestDeps, route } from './route.js'

const maxReads = 20
/** The reads of a batch that run at the same time. */
const atOnce = 4
const maxPathLength = 8192
/** Characters of the answers, after which no more reads begin. */
const maxAnswers = 8 * 1024 * 1024

const Body = Type.Object(
  {
    paths: Type.Array(Type.String(bounds({ pattern: '^/v4/' })), {
      ...bounds({ minItems: 1, maxItems: maxReads }),
      description: `Paths with queries of 1 to ${maxReads} GET operations that answer JSON`,
    }),
  },
  { examples: [{ paths: ['/v4/user', '/v4/groups'] }] },
)

const Answer = Type.Object(
  {
    answers: Type.Array(
      Type.Object({
        status: Type.Integer({ description: 'What a request for this path alone would have answered' }),
        body: Type.Unknown({ description: 'Its JSON, also of an error', examples: [{ groups: [] }] }),
        retry_after: Type.Optional(Type.Integer({ description: 'Its Retry-After, in seconds' })),
      }),
      { description: 'One for each path, in the same order' },
    ),
  },
  { description: 'The answer of each read' },
)

export function batchRoutes(http: TypedFastify, _deps: RequestDeps): void {
  route(http, 'Service', 'batchGet: POST /v4/batch', {
    scope: 'any',
    access: () => undefined,
    summary: 'Read several things at once',
    description:
      `Runs up to ${maxReads} GET operations and answers all of them, each with its own status. Every one counts as a request ` +
      'against the limits, and the batch as one more. It reads only; it is a POST because of its many paths.',
    body: Body,
    response: { 200: Answer },
    answer: async (request, _granted, reply) => {
      const { paths } = request.body
      if (paths.length === 0 || paths.length > maxReads) throw invalid('paths', `Send 1 to ${maxReads} paths.`)
      const other = paths.findIndex((path) => !isOfV4(path))
      if (other >= 0) {
        throw invalid(`paths[${other}]`, `Send paths that begin with /v4/, of at most ${maxPathLength} characters.`)
      }
      const answers: string[] = []
      let length = 0
      for (const some of chunks(paths, atOnce)) {
        const isFull = length > maxAnswers || request.raw.socket.destroyed
        const next = isFull
          ? some.map(tooLarge)
          : await Promise.all(some.map(async (path) => entryOf(await read(request, path))))
        for (const answer of next) length += answer.length
        answers.push(...next)
      }
      // The answers are JSON already.
      return reply.type('application/json; charset=utf-8').send(`{"answers":[${answers.join()}]}` as never) as never
    },
  })
}

/** Also after its dots are resolved. */
function isOfV4(path: string): boolean {
  if (path.length > maxPathLength) return false
  return path.startsWith('/v4/') && new URL(path, 'http://localhost').pathname.startsWith('/v4/')
}

/** As the same caller, from the same address. */
function read({ server, headers, raw }: FastifyRequest, url: string): Promise<Response> {
  const caller = Object.fromEntries(Object.entries(headers).filter(([name]) => !ofBatch.has(name)))
  const remoteAddress = raw.socket.remoteAddress ?? ''
  return server.inject({ method: 'GET', url, headers: { ...caller, accept: 'application/json' }, remoteAddress })
}

/** Headers about the body of the batch and the form of its answer. */
const ofBatch: ReadonlySet<string> = new Set([
  ...['content-type', 'content-length', 'content-encoding', 'transfer-encoding'],
  ...['accept-encoding', 'if-none-match', 'idempotency-key', 'expect'],
])

function tooLarge(path: string): string {
  const message = 'The answers before this one fill the batch. Send this path again, in another request.'
  const { status, body } = answerV4(new Refusal('PAYLOAD_TOO_LARGE', message), path)
  return JSON.stringify({ status, body })
}

function entryOf({ statusCode, headers, payload }: Response): string {
  const retryAfter = headers['retry-after']
  const later = retryAfter === undefined ? '' : `,"retry_after":${Number(retryAfter)}`
  return `{"status":${statusCode},"body":${payload === '' ? 'null' : payload}${later}}`
}
