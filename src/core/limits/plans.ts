/**
 * The plan of each organization, in memory: every new link asks for it, and must not wait. The plans themselves come from
 * the configuration, who has which one from the store; changes of other processes are known after some seconds.
 */

import { type Actor, requireOrganization } from '../accounts/actor.js'
import { type AuditDeps, note } from '../accounts/audit.js'
import { type FeatureName, featureNames, features } from '../usage/features.js'
import type { Counter, UsageStore } from '../usage/usage-store.js'
import type { Clock } from '../values/clock.js'
import { invalid, Refusal, type Resource } from '../values/refusal.js'
import {
  limitsOn,
  monthOf,
  type Plan,
  type PlanFeature,
  type PlanLimits,
  requireWithin,
  unlimited,
  upgradeRequired,
} from './plan.js'

export interface PlanOptions {
  readonly plans: readonly Plan[]
  /** What an organization has that was given none. */
  readonly defaultPlan: string
  /** Told when the assignments could not be read again; those in memory stay in use. */
  readonly onFailure: (error: unknown) => void
}

// Our choice: a plan given by another process takes effect here after this long.
const refreshEvery = 5000

export class Plans {
  readonly #byName: ReadonlyMap<string, Plan>
  readonly #default: Plan
  readonly #onFailure: (error: unknown) => void
  #store: UsageStore | undefined
  #byOrganization: ReadonlyMap<string, Plan> = new Map()
  #version: number | undefined
  #timer: NodeJS.Timeout | undefined

  constructor({ plans, defaultPlan, onFailure }: PlanOptions) {
    this.#byName = new Map(plans.map((plan) => [plan.name, plan]))
    this.#default = this.#byName.get(defaultPlan) ?? unlimited
    this.#onFailure = onFailure
  }

  /** Says where it is written who has which plan. Until then everybody has the default. */
  attach(store: UsageStore): this {
    this.#store = store
    return this
  }

  /** Reads who has which plan, and from then on again whenever that has changed, until `close`. */
  async start(): Promise<void> {
    await this.refresh()
    this.#timer = setInterval(() => this.#follow().catch(this.#onFailure), refreshEvery).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Call after a change: when it returns, the change is in memory. */
  async refresh(): Promise<void> {
    if (!this.#store) return
    // The version first: a change that comes in between is then seen once too often instead of never.
    const version = await this.#store.planVersion()
    const assigned = await this.#store.planAssignments()
    this.#version = version
    // Our choice: a plan that is no longer in the file counts as the default.
    const known = [...assigned].map(([guid, name]) => [guid, this.#byName.get(name) ?? this.#default] as const)
    this.#byOrganization = new Map(known)
  }

  of(organizationGuid: string): Plan {
    return this.#byOrganization.get(organizationGuid) ?? this.#default
  }

  /** Undefined where nothing is limited: then nobody needs to look any further. */
  limitsOf(organizationGuid: string): PlanLimits | undefined {
    return this.of(organizationGuid).limits
  }

  /** Refused with the names there are. */
  named(name: string): Plan {
    const plan = this.#byName.get(name)
    if (plan) return plan
    const names = [...this.#byName.keys()].join(', ')
    throw invalid('plan', `There is no plan "${name}". There are: ${names}.`, 'organizations')
  }

  async #follow(): Promise<void> {
    if ((await this.#store?.planVersion()) !== this.#version) await this.refresh()
  }
}

/** The part of `Plans` that decides. */
export interface PlanCheckDeps {
  readonly plans: Pick<Plans, 'of' | 'limitsOf'>
}

/** 402 unless the plan has it. */
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
 * Whether one more of each may be used, before DNS and conflicts are looked at. It only gets that order right:
 * the store asks again when it writes, and there races are settled.
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
  for (const counter of counters) used.set(counter, (used.get(counter) ?? 0) + 1)
  requireWithin(limits, names, used, at)
}

export interface PlanLimit {
  readonly name: FeatureName
  readonly description: string
  /** Undefined: as much as they like. */
  readonly limit: number | undefined
  /** Used since the first of this month, UTC. */
  readonly count: number
}

/** What the plan of an organization allows and what of it is used. All of its members may know. */
export async function readPlanLimits(
  deps: AllowanceDeps,
  actor: Actor | 'operator',
  organizationGuid: string,
): Promise<readonly PlanLimit[]> {
  if (actor !== 'operator') requireOrganization(actor, organizationGuid)
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
  /** Also one that locks the organization out at once. */
  readonly force: boolean
}

/** `by`: the login of whoever does it. */
export async function assignPlan(deps: AssignPlanDeps, by: string, input: AssignedPlan): Promise<Plan> {
  const { organizationGuid } = input
  const plan = deps.plans.named(input.plan)
  if (!input.force) await requireNotLockedOut(deps, organizationGuid, plan)
  const outcome = await deps.usage.assignPlan(organizationGuid, plan.name, deps.clock.now())
  if (outcome === 'no-organization') {
    const message = `There is no organization "${organizationGuid}".`
    throw new Refusal('NOT_FOUND', message, { resource: 'organizations' })
  }
  await deps.plans.refresh()
  await note(deps, { action: 'plan_changed', login: by, organizationGuid, details: { plan: plan.name } })
  return plan
}

/** Without any API request left, nobody there could as much as choose another plan. */
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

async function usedThisMonth(
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
