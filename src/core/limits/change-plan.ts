import { type Actor, requireOrganizationAdmin } from '../accounts/actor.js'
import type { GroupStore } from '../accounts/group-store.js'
import { Refusal } from '../values/refusal.js'
import type { Plan } from './plan.js'
import { type AssignedPlan, type AssignPlanDeps, assignPlan } from './plans.js'

export interface ChangePlanDeps extends AssignPlanDeps {
  readonly groups: GroupStore
}

/**
 * Assigns a plan. Only administrators of the oldest organization, which was created when the service first started, may
 * do so: administrators of other organizations must not upgrade themselves.
 */
export async function changePlan(deps: ChangePlanDeps, admin: ServiceAdmin, input: AssignedPlan): Promise<Plan> {
  return assignPlan(deps, admin, input)
}

/** An administrator of the organization that runs the service, as `requireServiceAdmin` finds out. */
export interface ServiceAdmin {
  readonly login: string
  readonly serviceOrganization: string
}

export async function requireServiceAdmin(deps: Pick<ChangePlanDeps, 'groups'>, actor: Actor): Promise<ServiceAdmin> {
  const [oldest] = await deps.groups.organizations('all')
  if (oldest && actor.organizations.some(({ organizationGuid }) => organizationGuid === oldest.guid)) {
    requireOrganizationAdmin(actor, oldest.guid)
    return { login: actor.login, serviceOrganization: oldest.guid }
  }
  const message = 'Only administrators of the organization that runs this service may do this.'
  throw new Refusal('FORBIDDEN', message, { resource: 'organizations' })
}
