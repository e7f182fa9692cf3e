/**
 * Who may use a route, where many routes have the same rule. The rules are core's; here is only where in a request the
 * group or the organization is named.
 */
import {
  type Actor,
  type GroupMembership,
  requireGroup,
  requireGroupAdmin,
  requireOrganization,
  requireOrganizationAdmin,
  requireOrganizationAuditor,
  requireOwnToken,
  requireWriter,
  type WriterMembership,
} from '../../core/accounts/actor.js'
import type { NamedDomain } from '../../core/domains/token-domains.js'
import { type ChangePlanDeps, requireServiceAdmin, type ServiceAdmin } from '../../core/limits/change-plan.js'
import { parseAddress } from '../../core/values/address.js'
import { isGuid } from '../../core/values/guid.js'
import { quoted, Refusal } from '../../core/values/refusal.js'
import type { RouteRequest } from './route.js'

interface OfGroup {
  readonly actor: Actor
  readonly params: { readonly group_guid: string }
}

interface OfOrganization {
  readonly actor: Actor
  readonly params: { readonly organization_guid: string }
}

/** Everybody with a token. */
export function everybody(): void {}

export function groupMember({ actor, params }: OfGroup): GroupMembership {
  return requireGroup(actor, params.group_guid)
}

export function groupWriter({ actor, params }: OfGroup): WriterMembership {
  return requireWriter(actor, params.group_guid)
}

export function groupAdmin({ actor, params }: OfGroup): GroupMembership {
  return requireGroupAdmin(actor, params.group_guid)
}

export function organizationMember({ actor, params }: OfOrganization): void {
  requireOrganization(actor, params.organization_guid)
}

export function organizationAdmin({ actor, params }: OfOrganization): void {
  requireOrganizationAdmin(actor, params.organization_guid)
}

/** Its administrators and auditors, to read. */
export function organizationAuditor({ actor, params }: OfOrganization): void {
  requireOrganizationAuditor(actor, params.organization_guid)
}

/** Those who run the service, not through an application. */
export function serviceAdmin(deps: Pick<ChangePlanDeps, 'groups'>) {
  return ({ actor }: { readonly actor: Actor }): Promise<ServiceAdmin> => {
    requireOwnToken(actor)
    return requireServiceAdmin(deps, actor)
  }
}

/** The same, of an operation on any organization. */
export function organizationServiceAdmin(deps: Pick<ChangePlanDeps, 'groups'>) {
  return async ({ actor, params }: OfOrganization): Promise<ServiceAdmin> => {
    const admin = await serviceAdmin(deps)({ actor })
    const { organization_guid } = params
    // PostgreSQL cannot look for every text.
    if (isGuid(organization_guid)) return admin
    throw new Refusal('NOT_FOUND', `There is no organization ${quoted(organization_guid)}.`, {
      resource: 'organizations',
    })
  }
}

/** Members of the group that a query names; everybody where it names none. */
export function memberOfQuery({ actor, query }: RouteRequest): void {
  // An empty parameter is an absent one.
  const groupGuid = textIn(query, 'group_guid') || undefined
  if (groupGuid !== undefined) requireGroup(actor, groupGuid)
}

/** Members of the group that a body names; everybody where it names none. */
export function memberOfBody({ actor, body }: RouteRequest): void {
  const groupGuid = textIn(body, 'group_guid')
  if (groupGuid !== undefined) requireGroup(actor, groupGuid)
}

/** Those who may write to the group that a body names, or else to their default group. */
export function writerOfBody({ actor, body }: RouteRequest): WriterMembership {
  return requireWriter(actor, textIn(body, 'group_guid') ?? actor.defaultGroupGuid)
}

/** Those who may write to the group that a body names. Without one the request is refused next, by its schema. */
export function writerOfNamedGroup({ actor, body }: RouteRequest): void {
  const groupGuid = textIn(body, 'group_guid')
  if (groupGuid !== undefined) requireWriter(actor, groupGuid)
}

/** Those of these fields that were sent. */
export function domainsOfBody(...fields: readonly ('domain' | 'shortlink_id' | 'custom_shortlink')[]) {
  return ({ body }: RouteRequest): readonly NamedDomain[] =>
    fields.flatMap((field) => {
      const text = textIn(body, field)
      if (text === undefined) return []
      return [field === 'domain' ? text : parseAddress(text)]
    })
}

/** A field that no schema has looked at yet; what is not text there is the schema's to refuse. */
export function textIn(place: unknown, field: string): string | undefined {
  const value: unknown = typeof place === 'object' && place !== null ? Reflect.get(place, field) : undefined
  return typeof value === 'string' ? value : undefined
}
