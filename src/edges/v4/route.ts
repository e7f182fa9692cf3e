/**
 * The one way through v4. A route says who may, what it takes, what it does and how it answers, and that is the order in
 * which a request is checked (docs/api/README.md#order-of-checks). What access loads is handed to the answer: nothing
 * is read twice.
 */
import type { FastifySchema } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Actor } from '../../core/accounts/actor.js'
import type { TypedFastify, TypedHandler } from '../http/typed-fastify.js'
import { brokenRequest } from './schemas/error.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is asking. */
    actor: Actor
    /** What the access of the route loaded. */
    granted: unknown
  }
}

export interface Route<Schema extends FastifySchema, Granted> {
  /** Asks core whether the actor may, which throws if not; answers what was loaded to find out. */
  readonly access: (asked: Asked<Schema>) => Granted | Promise<Granted>
  readonly schema: Schema
  /** Of a success; 200 by default. */
  readonly status?: 201 | 204
  readonly answer: (
    request: Parameters<TypedHandler<Schema>>[0],
    granted: Granted,
    reply: Parameters<TypedHandler<Schema>>[1],
  ) => ReturnType<TypedHandler<Schema>>
}

/** A request whose fields nobody has checked: parameters of the path are text, the rest may be anything. */
export interface Asked<Schema = unknown> {
  readonly actor: Actor
  readonly params: Schema extends { readonly params: infer Path extends TSchema }
    ? Readonly<Record<keyof Static<Path>, string>>
    : unknown
  readonly query: unknown
  readonly body: unknown
}

export function route<const Schema extends FastifySchema, Granted>(
  http: TypedFastify,
  operation: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /v4/${string}`,
  { access, schema, status, answer }: Route<Schema, Granted>,
): void {
  const [method = '', url = ''] = operation.split(' ')
  const handler: TypedHandler<Schema> = (request, reply) => {
    // The schemas of most routes know one of the two.
    if (status !== undefined) reply.code(status as never)
    return answer(request, request.granted as Granted, reply)
  }
  http.route({
    method,
    url,
    schema: { ...schema, response: { ...brokenRequest(method), ...Object(schema.response) } },
    // Calls back where access waits for nothing: a promise would cost every new link some microseconds.
    preValidation(request, _reply, done) {
      const granted = access(request as Asked<Schema>)
      if (granted instanceof Promise) return keep(request, granted)
      request.granted = granted
      done()
    },
    handler,
  })
}

async function keep(request: { granted: unknown }, granted: Promise<unknown>): Promise<void> {
  request.granted = await granted
}
