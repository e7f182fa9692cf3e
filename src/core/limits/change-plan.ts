import { type Actor, requireOrganizationAdmin } from '../auth/actor.js'
import type { GroupStore } from '../groups/group-store.js'
import { Refusal } from '../refusal.js'
import type { Plan } from './plan.js'
import { type AssignedPlan, type AssignPlanParts, assignPlan } from './plans.js'

export interface ChangePlanParts extends AssignPlanParts {
  readonly groups: Pick<GroupStore, 'organizations'>
}

/**
 * Gives an organization another plan. Our choice: for administrators of the oldest organization, the one that was made
 * when the service was first started: those of others must not be able to give themselves a higher plan.
 */
export async function changePlan(parts: ChangePlanParts, actor: Actor, wish: AssignedPlan): Promise<Plan> {
  await requireServiceAdmin(parts, actor)
  return assignPlan(parts, actor.login, wish)
}

export async function requireServiceAdmin(parts: Pick<ChangePlanParts, 'groups'>, actor: Actor): Promise<void> {
  const [oldest] = await parts.groups.organizations('all')
  if (actor.organizations.some(({ organizationGuid }) => organizationGuid === oldest?.guid)) {
    requireOrganizationAdmin(actor, oldest?.guid ?? '')
    return
  }
  const message = 'Only administrators of the organization that runs this service may do this.'
  throw new Refusal('FORBIDDEN', message, { resource: 'organizations' })
}
