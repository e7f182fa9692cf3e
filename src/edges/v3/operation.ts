/** One operation of v3: arguments in, data out. Everything that all of them share is here. */
import type { Actor } from '../../core/accounts/actor.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { Arguments } from './arguments.js'
import { formOf, ok, write, writeText } from './envelope.js'
import { invalidArgument, type Status } from './errors.js'
import type { Value } from './xml.js'

export interface Question {
  readonly actor: Actor
  readonly args: Arguments
}

export interface Answer {
  readonly data: Value
  readonly status?: Status
  /** The bare value for a caller who wants text, or why there is none; undefined where this answer has no such form. */
  readonly text?: string | Status
}

export interface Operation {
  readonly path: string
  /** `format=txt` may be asked for. */
  readonly hasText?: boolean
  answer(question: Question): Promise<Answer>
}

export function addOperation(http: TypedFastify, { path, hasText = false, answer }: Operation): void {
  // v3 is described in docs/api/v3.md: the generated document is v4's.
  http.get(path, { schema: { hide: true } }, async (request, reply) => {
    const args = new Arguments(request.url)
    const form = formOf(args)
    // Before anything is done.
    if (form.format === 'txt' && !hasText) throw invalidArgument('format')
    const { data, status = ok, text } = await answer({ actor: request.actor, args })
    const { httpStatus, type, body } = form.format === 'txt' ? writeText(text) : write(form, status, data)
    return reply.code(httpStatus).type(type).send(body)
  })
}
