/** One v3 operation: arguments in, data out. Contains what all operations share. */
import type { FastifySchema } from 'fastify'
import { Type } from 'typebox'
import type { Actor } from '../../core/accounts/actor.js'
import { type NeededScope, neededSet, requireScope } from '../../core/accounts/scopes.js'
import { requireDomainsOfToken } from '../../core/domains/token-domains.js'
import { documentOnly, scopesIn } from '../http/described.js'
import { type NameInWord, namesFor } from '../http/link-words.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { type About, choice, optional } from './about.js'
import { Arguments } from './arguments.js'
import { formats, formOf, ok, type Value, write, writeText } from './envelope.js'
import { invalidArgument, type Status } from './errors.js'

export interface V3Request {
  readonly actor: Actor
  readonly args: Arguments
}

export interface V3Result {
  readonly data: Value
  readonly status?: Status
  /** The value for `format=txt`, or the status to send instead; undefined if this response has no text form. */
  readonly text?: string | Status
}

/** By their paths. */
export type Operations = Readonly<Record<string, Operation>>

export interface Operation extends About {
  /** The scope that a token needs, one of several, or `any` (docs/api/identity.md#scopes). */
  readonly scope: NeededScope
  /** Supports `format=txt`. */
  readonly hasText?: boolean
  /** `inWord` gives a name of ours in the word for short links that the client uses. */
  run(request: V3Request, inWord: NameInWord): Promise<V3Result>
}

export function addOperation(
  http: TypedFastify,
  tag: string,
  path: string,
  operation: Operation,
  isOpenToKeys: boolean,
): void {
  const { hasText = false, scope, run } = operation
  const needed = neededSet(scope)
  const schema: FastifySchema = { ...schemaOf(path, operation, isOpenToKeys), tags: [tag] }
  http.get(path, { schema, ...documentOnly }, async (request, reply) => {
    requireScope(request.actor, needed, scope)
    // No argument names a domain in one way for all operations.
    if (scope !== 'any') requireDomainsOfToken(http.domains, request.actor, [])
    const args = new Arguments(request.url)
    const form = formOf(args)
    // Check this before the operation changes anything.
    if (form.format === 'txt' && !hasText) throw invalidArgument('format')
    const { data, status = ok, text } = await run({ actor: request.actor, args }, namesFor(request))
    const { httpStatus, type, body } = form.format === 'txt' ? writeText(text) : write(form, status, data)
    return reply.code(httpStatus).type(type).send(body)
  })
}

const Envelope = Type.Object({
  status_code: Type.Integer({ description: 'The real status; 200 for success' }),
  status_txt: Type.String({ description: '`OK`, or a code such as `INVALID_ARG_LINK`' }),
  data: Type.Unknown({ description: 'The answer; null on an error' }),
})

const keys = {
  login: optional('With `apiKey`, instead of an access token'),
  apiKey: optional('A legacy key, with `login`, instead of an access token'),
}

function schemaOf(path: string, operation: Operation, isOpenToKeys: boolean) {
  const { hasText = false, scope, summary, description, query = {}, data } = operation
  const envelope = { status_code: ok.code, status_txt: ok.text, data }
  return {
    operationId: path.replace(/^.|[/_]+(.)/g, (_, letter = '') => letter.toUpperCase()).replace(/^V/, 'v'),
    summary,
    description: hasText ? `${description} \`format=txt\` returns only the value.` : description,
    ...scopesIn(scope),
    querystring: Type.Object({
      ...query,
      ...(isOpenToKeys && keys),
      format: choice(
        'How to answer; `json` by default',
        ...(hasText ? formats : formats.filter((each) => each !== 'txt')),
      ),
      callback: optional('Name of a function: answers JSONP'),
    }),
    response: {
      200: {
        description: 'Errors, too: see `status_code`',
        content: { 'application/json': { schema: Envelope, example: JSON.parse(JSON.stringify(envelope)) as unknown } },
      },
    },
  }
}
