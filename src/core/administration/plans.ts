import type { Actor } from '../accounts/actor.js'
import { type AllowanceDeps, type AssignPlanDeps, assignPlan, type PlanLimit, readPlanLimits } from '../limits/plans.js'
import { Refusal } from '../values/refusal.js'
import type { GroupDeps } from './groups.js'

export type PlanAdministrationDeps = AllowanceDeps &
  AssignPlanDeps &
  Pick<GroupDeps, 'groups'> & { readonly plans: AllowanceDeps['plans'] & AssignPlanDeps['plans'] }

export interface OrganizationPlan {
  readonly organizationGuid: string
  readonly plan: string
  readonly limits: readonly PlanLimit[]
}

/** What an organization may use and has used this month. */
export async function readPlan(
  deps: PlanAdministrationDeps,
  actor: Actor,
  input: { organizationGuid: string },
): Promise<OrganizationPlan> {
  const { organizationGuid } = input
  const [organization] = await deps.groups.organizations([organizationGuid])
  if (!organization) {
    const message = `There is no organization "${organizationGuid}".`
    throw new Refusal('NOT_FOUND', message, { resource: 'organizations' })
  }
  await deps.plans.refresh()
  const limits = await readPlanLimits(deps, actor, organizationGuid)
  return { organizationGuid, plan: deps.plans.of(organizationGuid).name, limits }
}

export async function setPlan(
  deps: PlanAdministrationDeps,
  actor: Actor,
  input: { organizationGuid: string; plan: string; force?: boolean | undefined },
): Promise<OrganizationPlan> {
  await assignPlan(deps, actor, { ...input, force: input.force ?? false })
  return readPlan(deps, actor, input)
}
