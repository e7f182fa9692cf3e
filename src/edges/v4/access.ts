/**
 * Access before fields (gaps 1.3): these run before the schema looks at a request, so that somebody who may not write is
 * told so whatever else is wrong. Core asks again; here nothing is decided that is not decided there.
 */
import type { FastifyRequest } from 'fastify'
import { requireWriter } from '../../core/auth/actor.js'

/** The group that a new link will belong to. */
export async function requireWritableGroup(request: FastifyRequest): Promise<void> {
  requireWriter(request.actor, textIn(request.body, 'group_guid') ?? request.actor.defaultGroupGuid)
}

/** A field of something that no schema has looked at yet; what is not text there is the schema's to refuse. */
export function textIn(place: unknown, field: string): string | undefined {
  const value: unknown = typeof place === 'object' && place !== null ? Reflect.get(place, field) : undefined
  return typeof value === 'string' ? value : undefined
}
