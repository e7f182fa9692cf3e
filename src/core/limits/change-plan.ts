import { type Actor, requireOrganizationAdmin } from '../accounts/actor.js'
import type { GroupStore } from '../accounts/group-store.js'
import { Refusal } from '../values/refusal.js'
import type { Plan } from './plan.js'
import { type AssignedPlan, type AssignPlanDeps, assignPlan } from './plans.js'

export interface ChangePlanDeps extends AssignPlanDeps {
  readonly groups: GroupStore
}

/**
 * Gives an organization another plan. Our choice: for administrators of the oldest organization, the one that was made
 * when the service was first started: those of others must not be able to give themselves a higher plan.
 */
export async function changePlan(deps: ChangePlanDeps, actor: Actor, input: AssignedPlan): Promise<Plan> {
  await requireServiceAdmin(deps, actor)
  return assignPlan(deps, actor.login, input)
}

export async function requireServiceAdmin(deps: Pick<ChangePlanDeps, 'groups'>, actor: Actor): Promise<void> {
  const [oldest] = await deps.groups.organizations('all')
  if (actor.organizations.some(({ organizationGuid }) => organizationGuid === oldest?.guid)) {
    requireOrganizationAdmin(actor, oldest?.guid ?? '')
    return
  }
  const message = 'Only administrators of the organization that runs this service may do this.'
  throw new Refusal('FORBIDDEN', message, { resource: 'organizations' })
}
