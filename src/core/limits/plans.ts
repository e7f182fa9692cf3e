/**
 * The plan of each organization, in memory because every new link needs it without waiting. The configuration defines the
 * plans, the store assigns them; changes by other processes take effect within seconds.
 */
import { PeriodicTask } from '../../lib/periodic-task.js'
import { type Actor, requireOrganization } from '../accounts/actor.js'
import { type AuditDeps, addAuditEntry } from '../accounts/audit.js'
import { type FeatureName, featureNames, features } from '../usage/features.js'
import type { Counter, UsageStore } from '../usage/usage-store.js'
import { invalid, Refusal, type Resource } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import {
  limitsOn,
  monthOf,
  type Plan,
  type PlanFeature,
  type PlanLimits,
  requireWithin,
  unlimited,
  upgradeRequired,
  withMore,
} from './plan.js'

export interface PlanOptions {
  readonly plans: readonly Plan[]
  /** The plan of organizations without an assigned plan. */
  readonly defaultPlan: string
  /** Called when the assignments cannot be read again; the ones in memory stay in use. */
  readonly onFailure: (error: unknown) => void
}

// Maximum delay until a change by another process takes effect here.
const refreshInterval = 5000

export class Plans {
  readonly #byName: ReadonlyMap<string, Plan>
  readonly #default: Plan
  readonly #onFailure: (error: unknown) => void
  #store: UsageStore | undefined
  #byOrganization: ReadonlyMap<string, Plan> = new Map()
  #version: number | undefined
  #refreshing: PeriodicTask | undefined

  constructor({ plans, defaultPlan, onFailure }: PlanOptions) {
    this.#byName = new Map(plans.map((plan) => [plan.name, plan]))
    this.#default = this.#byName.get(defaultPlan) ?? unlimited
    this.#onFailure = onFailure
  }

  /** Sets the store of assignments. Until `start`, every organization has the default plan. */
  attach(store: UsageStore): this {
    this.#store = store
    return this
  }

  /** Reads the assignments, and again whenever they change, until `close`. */
  async start(): Promise<void> {
    await this.refresh()
    this.#refreshing = new PeriodicTask(refreshInterval, () => this.#refreshIfChanged(), this.#onFailure)
  }

  close(): void {
    this.#refreshing?.stop()
  }

  /** Call after a change; it is in memory when this resolves. */
  async refresh(): Promise<void> {
    if (!this.#store) return
    // Read the version first: a change in between then causes one extra read instead of being missed.
    const version = await this.#store.planVersion()
    const assigned = await this.#store.planAssignments()
    this.#version = version
    // A plan that was removed from the file falls back to the default.
    const known = [...assigned].map(([guid, name]) => [guid, this.#byName.get(name) ?? this.#default] as const)
    this.#byOrganization = new Map(known)
  }

  of(organizationGuid: string): Plan {
    return this.#byOrganization.get(organizationGuid) ?? this.#default
  }

  /** Undefined where nothing is limited. */
  limitsOf(organizationGuid: string): PlanLimits | undefined {
    return this.of(organizationGuid).limits
  }

  all(): readonly Plan[] {
    return [...this.#byName.values()]
  }

  /** Throws with the list of valid names. */
  named(name: string): Plan {
    const plan = this.#byName.get(name)
    if (plan) return plan
    const names = [...this.#byName.keys()].join(', ')
    throw invalid('plan', `There is no plan "${name}". There are: ${names}.`, 'organizations')
  }

  async #refreshIfChanged(): Promise<void> {
    if ((await this.#store?.planVersion()) !== this.#version) await this.refresh()
  }
}

/** What plan checks need. */
export interface PlanCheckDeps {
  readonly plans: Pick<Plans, 'of' | 'limitsOf'>
}

/** Throws `UPGRADE_REQUIRED` unless the plan includes the feature. */
export function requireFeature(
  deps: PlanCheckDeps,
  organizationGuid: string,
  feature: PlanFeature,
  resource?: Resource,
): void {
  if (!deps.plans.of(organizationGuid).features.has(feature)) throw upgradeRequired(feature, resource)
}

export interface AllowanceDeps extends PlanCheckDeps {
  readonly usage: UsageStore
  readonly clock: Clock
}

/**
 * Throws unless one more of each may be used. Checked early so that a limit is reported before DNS problems and
 * conflicts; the store checks again when it writes, which settles races.
 */
export async function requireAllowance(
  deps: AllowanceDeps,
  organizationGuid: string,
  counters: readonly Counter[],
): Promise<void> {
  const limits = deps.plans.limitsOf(organizationGuid)
  const names = limits ? limitsOn(limits, new Set(counters)) : []
  if (!limits || names.length === 0) return
  const at = deps.clock.now()
  const used = await usedThisMonth(deps, organizationGuid, names, at)
  requireWithin(limits, names, withMore(used, counters), at)
}

export interface PlanLimit {
  readonly name: FeatureName
  readonly description: string
  /** Undefined: unlimited. */
  readonly limit: number | undefined
  /** Used since the first of the month, UTC. */
  readonly count: number
}

/** Limits and usage of an organization's plan. All members may read them. */
export async function readPlanLimits(
  deps: AllowanceDeps,
  actor: Actor,
  organizationGuid: string,
): Promise<readonly PlanLimit[]> {
  requireOrganization(actor, organizationGuid)
  const used = await usedThisMonth(deps, organizationGuid, featureNames, deps.clock.now())
  const { limits } = deps.plans.of(organizationGuid)
  return featureNames.map((name) => {
    const { description, counters } = features[name]
    const count = counters.reduce((sum, counter) => sum + (used.get(counter) ?? 0), 0)
    return { name, description, limit: limits?.[name], count }
  })
}

export interface AssignPlanDeps extends AuditDeps {
  readonly plans: Pick<Plans, 'named' | 'refresh'>
  readonly usage: UsageStore
}

export interface AssignedPlan {
  readonly organizationGuid: string
  readonly plan: string
  /** Assign the plan even if it locks the organization out at once. */
  readonly force: boolean
}

export async function assignPlan(
  deps: AssignPlanDeps,
  actor: Pick<Actor, 'login'>,
  input: AssignedPlan,
): Promise<Plan> {
  const { organizationGuid } = input
  const plan = deps.plans.named(input.plan)
  if (!input.force) await requireNotLockedOut(deps, organizationGuid, plan)
  const outcome = await deps.usage.assignPlan(organizationGuid, plan.name, deps.clock.now())
  if (outcome === 'no-organization') {
    const message = `There is no organization "${organizationGuid}".`
    throw new Refusal('NOT_FOUND', message, { resource: 'organizations' })
  }
  await deps.plans.refresh()
  await addAuditEntry(deps, {
    action: 'plan_changed',
    login: actor.login,
    organizationGuid,
    details: { plan: plan.name },
  })
  return plan
}

/** Without API requests left, the organization could not even choose another plan. */
async function requireNotLockedOut(deps: AssignPlanDeps, organizationGuid: string, plan: Plan): Promise<void> {
  const limit = plan.limits?.api_requests
  if (limit === undefined) return
  const at = deps.clock.now()
  const counts = await usedThisMonth(deps, organizationGuid, ['api_requests'], at)
  const used = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (used < limit) return
  const until = new Date(monthOf(at).to).toISOString().slice(0, 'YYYY-MM-DD'.length)
  throw new Refusal(
    'CONFLICT',
    `The plan "${plan.name}" allows ${limit} API requests a month and the organization has made ${used}: it would be ` +
      `locked out of the API until ${until}, UTC. Confirm with "force": true, or --force on the command line.`,
    { resource: 'organizations', field: 'force' },
  )
}

/** Usage since the first of the month, UTC, by the counters of these features. */
export async function usedThisMonth(
  deps: Pick<AllowanceDeps, 'usage'>,
  organizationGuid: string,
  names: readonly FeatureName[],
  at: number,
): Promise<Map<Counter, number>> {
  const counters = [...new Set(names.flatMap((name): readonly Counter[] => features[name].counters))]
  const days = await deps.usage.perDay({ organizationGuid }, counters, monthOf(at))
  const used = new Map<Counter, number>()
  for (const { counter, count } of days) used.set(counter, (used.get(counter) ?? 0) + count)
  return used
}
