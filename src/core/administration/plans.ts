import {
  type AllowanceParts,
  type AssignPlanParts,
  assignPlan,
  type PlanLimit,
  readPlanLimits,
} from '../limits/plans.js'
import { Refusal } from '../refusal.js'
import type { GroupParts } from './groups.js'

export type PlanAdministrationParts = AllowanceParts &
  AssignPlanParts &
  Pick<GroupParts, 'groups'> & { readonly plans: AllowanceParts['plans'] & AssignPlanParts['plans'] }

export interface OrganizationPlan {
  readonly organizationGuid: string
  readonly plan: string
  readonly limits: readonly PlanLimit[]
}

/** What an organization may use and has used this month. */
export async function readPlan(
  parts: PlanAdministrationParts,
  wish: { organizationGuid: string },
): Promise<OrganizationPlan> {
  const { organizationGuid } = wish
  const [organization] = await parts.groups.organizations([organizationGuid])
  if (!organization) {
    const message = `There is no organization "${organizationGuid}".`
    throw new Refusal('NOT_FOUND', message, { resource: 'organizations' })
  }
  await parts.plans.refresh()
  const limits = await readPlanLimits(parts, 'operator', organizationGuid)
  return { organizationGuid, plan: parts.plans.of(organizationGuid).name, limits }
}

export async function setPlan(
  parts: PlanAdministrationParts,
  wish: { organizationGuid: string; plan: string; force?: boolean | undefined },
): Promise<OrganizationPlan> {
  await assignPlan(parts, 'operator', { ...wish, force: wish.force ?? false })
  return readPlan(parts, wish)
}
