/** One v3 operation: arguments in, data out. Contains what all operations share. */
import type { Actor } from '../../core/accounts/actor.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { Arguments } from './arguments.js'
import { formOf, ok, type Value, write, writeText } from './envelope.js'
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

export interface Operation {
  readonly path: string
  /** Supports `format=txt`. */
  readonly hasText?: boolean
  run(request: V3Request): Promise<V3Result>
}

export function addOperation(http: TypedFastify, { path, hasText = false, run }: Operation): void {
  // v3 is documented in docs/api/v3.md; the generated OpenAPI document covers v4.
  http.get(path, { schema: { hide: true } }, async (request, reply) => {
    const args = new Arguments(request.url)
    const form = formOf(args)
    // Check this before the operation changes anything.
    if (form.format === 'txt' && !hasText) throw invalidArgument('format')
    const { data, status = ok, text } = await run({ actor: request.actor, args })
    const { httpStatus, type, body } = form.format === 'txt' ? writeText(text) : write(form, status, data)
    return reply.code(httpStatus).type(type).send(body)
  })
}
