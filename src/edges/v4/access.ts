/**
 * Access before fields (docs/api/README.md#order-of-checks): these run before the schema looks at a request, so that
 * somebody who may not write is told so whatever else is wrong. Core asks again; here nothing is decided that is not
 * decided there.
 */
import type { FastifyRequest } from 'fastify'
import { requireOrganizationAdmin, requireWriter } from '../../core/accounts/actor.js'
import { requireOwnToken } from '../../core/sign-in/own-account.js'

/** The group that a new link will belong to. */
export function requireWritableGroup(request: FastifyRequest): void {
  requireWriter(request.actor, textIn(request.body, 'group_guid') ?? request.actor.defaultGroupGuid)
}

/** Not with a token that an application was given. */
export async function ownTokenOnly(request: FastifyRequest): Promise<void> {
  requireOwnToken(request.actor)
}

/** The organization in the path. */
export async function organizationAdminOnly(request: FastifyRequest): Promise<void> {
  requireOrganizationAdmin(request.actor, textIn(request.params, 'organization_guid') ?? '')
}

/** A field of something that no schema has looked at yet; what is not text there is the schema's to refuse. */
export function textIn(place: unknown, field: string): string | undefined {
  const value: unknown = typeof place === 'object' && place !== null ? Reflect.get(place, field) : undefined
  return typeof value === 'string' ? value : undefined
}
