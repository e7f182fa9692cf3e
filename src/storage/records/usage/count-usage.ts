/**
 * Writes usage counters: in the transaction that creates what is counted, which fails when a plan's limit is exceeded; or
 * alone, for API requests. Call it last in a transaction: all links that a group creates on one day lock the same row,
 * so the lock must be held only until the commit.
 */
import type { Insertable, Kysely, Transaction } from 'kysely'
import {
  limitsOn,
  monthOf,
  type PlanLimits,
  refusalOfMore,
  requireWithin,
  withMore,
} from '../../../core/limits/plan.js'
import type { LinkDetails, LinkDraft } from '../../../core/links/link.js'
import { type FeatureName, features } from '../../../core/usage/features.js'
import { type CountedUse, type Counter, dayLength, type UsageStore } from '../../../core/usage/usage-store.js'
import type { Refusal } from '../../../core/values/refusal.js'
import { multiInsert, type Transact } from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'
import { noteOrganizationEvent } from '../steps/note-event.js'
import { findRow, insertMissing } from '../steps/rows.js'

/** One use by a group. */
export type Use = Omit<CountedUse, 'count'>

/** Throws a refusal when a limit is exceeded. */
export type CountUsage = (tx: Transaction<Schema>, uses: readonly Use[]) => Promise<void>

/** Monthly limits of organizations; undefined: unlimited. Called for every link, so it must answer from memory. */
export interface Allowances {
  limitsOf(organizationGuid: string): PlanLimits | undefined
}

/** One statement for all uses; three more for each organization with limits. */
export function usageCounts(db: Kysely<Schema>, allowances: Allowances): CountUsage {
  const insert = multiInsert((rows: readonly NewUsage[]) => addUsage(db, rows))
  return async (tx, uses) => {
    const spendings = spendingsOf(uses, allowances)
    // Lock before counting: until the commit, no other transaction spends for these organizations.
    for (const { organizationGuid } of spendings) await takeTurn(tx, organizationGuid)
    await insert(tx, usageRows(uses))
    for (const spending of spendings) {
      const { limits, names, at } = spending
      const used = await usedBy(tx, spending)
      requireWithin(limits, names, used, at)
      await noteReached(tx, spending, used)
    }
  }
}

/** Monthly limits, for callers that write many things and must know before which of them are allowed. */
export interface UsageLimits {
  /** Whether the organization has any. */
  apply(organizationGuid: string): boolean
  /**
   * Decides for each of these things, in order, whether the plan allows its uses, and returns the refusals. Locks what it
   * decided until the end of the transaction. `CountUsage` counts what was written.
   */
  refuse(tx: Transaction<Schema>, things: readonly (readonly Use[])[]): Promise<readonly (Refusal | undefined)[]>
}

export function usageLimits(allowances: Allowances): UsageLimits {
  const apply = (organizationGuid: string) => allowances.limitsOf(organizationGuid) !== undefined
  async function refuse(tx: Transaction<Schema>, things: readonly (readonly Use[])[]) {
    const rooms = new Map<string, Room>()
    for (const spending of spendingsOf(things.flat(), allowances)) {
      await takeTurn(tx, spending.organizationGuid)
      rooms.set(roomKey(spending), { ...spending, used: await usedBy(tx, spending) })
    }
    return things.map((uses) => {
      const room = uses[0] && rooms.get(roomKey(uses[0]))
      if (!room) return undefined
      const counters = uses.map(({ counter }) => counter)
      const refusal = refusalOfMore(room.limits, counters, room.used, room.at)
      if (!refusal) room.used = withMore(room.used, counters)
      return refusal
    })
  }
  return { apply, refuse }
}

interface Room extends Spending {
  used: ReadonlyMap<Counter, number>
}

/** A batch may span the end of the month. */
function roomKey({ organizationGuid, at }: Pick<Use, 'organizationGuid' | 'at'>): string {
  return `${organizationGuid} ${monthOf(at).from}`
}

export function usageWrites(transact: Transact, allowances: Allowances): Pick<UsageStore, 'add'> {
  return {
    async add(uses) {
      const rows = usageRows(uses)
      if (rows.length === 0) return
      await transact(async (tx) => {
        await addUsage(tx, rows).execute()
        for (const spending of spendingsOf(uses, allowances)) {
          await noteReached(tx, spending, await usedBy(tx, spending))
        }
      })
    },
  }
}

/** The uses of a new link; a hidden one counts when it is coupled. */
export function usesOf(draft: CountedLink, details?: LinkDetails): readonly Use[] {
  const { groupGuid, organizationGuid, branded, at, hidden } = draft
  if (hidden) return []
  const use = (counter: Counter) => ({ groupGuid, organizationGuid, counter, at })
  return [
    use('links'),
    ...(branded ? [use('branded_links')] : []),
    ...(details?.keyword === undefined ? [] : [use('custom_back_halves')]),
  ]
}

type CountedLink = Pick<LinkDraft, 'groupGuid' | 'organizationGuid' | 'branded' | 'at' | 'hidden'>

/** Counts one use when the caller does not know the group's organization. */
export async function countForGroup(
  tx: Transaction<Schema>,
  countUsage: CountUsage,
  groupGuid: string,
  counter: Counter,
  at: number,
): Promise<void> {
  const group = await findRow(tx, 'groups', { guid: groupGuid }, ['organization_guid'])
  if (group) await countUsage(tx, [{ groupGuid, organizationGuid: group.organization_guid, counter, at }])
}

type NewUsage = Insertable<Schema['usage']>

/** One row per group, counter and day, sorted, so racing transactions lock in the same order. */
function usageRows(uses: readonly (Use & Partial<CountedUse>)[]): readonly NewUsage[] {
  const rows = new Map<string, NewUsage>()
  for (const { groupGuid, organizationGuid, counter, at, count: more = 1 } of uses) {
    const day = at - (at % dayLength)
    const key = `${groupGuid} ${counter} ${day} ${organizationGuid}`
    const count = (rows.get(key)?.count ?? 0) + more
    rows.set(key, { group_guid: groupGuid, name: counter, day, organization_guid: organizationGuid, count })
  }
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}

function addUsage(db: Kysely<Schema>, rows: readonly NewUsage[]) {
  return db
    .insertInto('usage')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['group_guid', 'name', 'day', 'organization_guid'])
        .doUpdateSet((eb) => ({ count: eb('usage.count', '+', eb.ref('excluded.count')) })),
    )
}

/** An organization and month whose limits must be checked. */
interface Spending {
  readonly organizationGuid: string
  readonly limits: PlanLimits
  readonly names: readonly FeatureName[]
  readonly at: number
}

/** Sorted by organization; empty when none has limits. */
function spendingsOf(uses: readonly Use[], allowances: Allowances): readonly Spending[] {
  let limited: Map<string, Use[]> | undefined
  for (const use of uses) {
    if (allowances.limitsOf(use.organizationGuid) === undefined) continue
    limited ??= new Map()
    const key = roomKey(use)
    const spent = limited.get(key)
    if (spent) spent.push(use)
    else limited.set(key, [use])
  }
  if (limited === undefined) return []
  const sorted = [...limited].sort(([one], [other]) => (one < other ? -1 : 1))
  return sorted.flatMap(([, spent]) => {
    const [{ organizationGuid, at } = { organizationGuid: '', at: 0 }] = spent
    const limits = allowances.limitsOf(organizationGuid) ?? {}
    const names = limitsOn(limits, new Set(spent.map(({ counter }) => counter)))
    return names.length === 0 ? [] : [{ organizationGuid, limits, names, at }]
  })
}

/** Shares of a limit that webhooks tell about. */
const toldPercents = [80, 100]

/** Once a month for each limit and share. Few get there, so most months have none of these queries. */
async function noteReached(
  tx: Transaction<Schema>,
  { organizationGuid, limits, names, at }: Spending,
  used: ReadonlyMap<Counter, number>,
): Promise<void> {
  for (const name of names) {
    const maximum = limits[name] ?? 0
    const total = features[name].counters.reduce((sum, counter) => sum + (used.get(counter) ?? 0), 0)
    for (const percent of toldPercents) {
      if (maximum === 0 || total < (maximum * percent) / 100) continue
      const row = { organization_guid: organizationGuid, name, month: monthOf(at).from, percent }
      const isNew = await insertMissing(tx, 'reached_limits', row)
      const details = { limit: name, percent, maximum, used: total }
      if (isNew) await noteOrganizationEvent(tx, organizationGuid, { type: 'limit.reached', at, details })
    }
  }
}

/** Locks the organization's spending until the end of the transaction. */
async function takeTurn(tx: Transaction<Schema>, organizationGuid: string): Promise<void> {
  await tx
    .insertInto('plan_turns')
    .values({ organization_guid: organizationGuid, turns: 1 })
    .onConflict((conflict) =>
      conflict.column('organization_guid').doUpdateSet((eb) => ({ turns: eb('plan_turns.turns', '+', 1) })),
    )
    .execute()
}

/** Usage in the month, including this transaction's. */
async function usedBy(
  tx: Transaction<Schema>,
  { organizationGuid, names, at }: Spending,
): Promise<ReadonlyMap<Counter, number>> {
  const counters = [...new Set(names.flatMap((name): readonly Counter[] => features[name].counters))]
  const { from, to } = monthOf(at)
  const rows = await tx
    .selectFrom('usage')
    .select(({ fn }) => ['name', fn.sum<number | string>('count').as('total')])
    .where('organization_guid', '=', organizationGuid)
    .where('name', 'in', counters)
    .where('day', '>=', from)
    .where('day', '<', to)
    .groupBy('name')
    .execute()
  return new Map(rows.map(({ name, total }) => [name, Number(total)]))
}
