/**
 * Counts what was used, inside the transaction that writes it, and refuses what a plan does not allow: the whole
 * transaction is undone then. Always its last statements: all links of a group made on one day meet at one row, and
 * whoever waits there must hold up nobody for longer than a commit takes.
 */
import type { Insertable, Kysely, Transaction } from 'kysely'
import { limitsOn, monthOf, type PlanLimits, requireWithin } from '../../../core/limits/plan.js'
import type { LinkDetails, LinkDraft } from '../../../core/links/link.js'
import { type FeatureName, features } from '../../../core/usage/features.js'
import { type CountedUse, type Counter, dayLength } from '../../../core/usage/usage-store.js'
import { multiInsert } from '../database/multi-insert.js'
import type { Schema } from '../database/schema.js'

/** One more of something, used by a group. */
export type Use = Omit<CountedUse, 'count'>

/** Throws the refusal of a limit that is used up. */
export type CountUsage = (tx: Transaction<Schema>, uses: readonly Use[]) => Promise<void>

/** What organizations may use in a month; undefined where nothing is limited. Asked for every link, so from memory. */
export interface Allowances {
  limitsOf(organizationGuid: string): PlanLimits | undefined
}

/** One statement for all of them, with a row for each group, thing and day; three more where a plan has limits. */
export function usageCounts(db: Kysely<Schema>, allowances: Allowances): CountUsage {
  const insert = multiInsert((rows: readonly NewUsage[]) => addUsage(db, rows))
  return async (tx, uses) => {
    const spendings = spendingsOf(uses, allowances)
    // Before any row is counted: from here to the commit nobody else spends for these organizations.
    for (const { organizationGuid } of spendings) await takeTurn(tx, organizationGuid)
    await insert(tx, usageRows(uses))
    for (const spending of spendings) {
      const { limits, names, at } = spending
      requireWithin(limits, names, await usedBy(tx, spending), at)
    }
  }
}

/** What a new link uses. */
export function usesOf(draft: LinkDraft, details?: LinkDetails): readonly Use[] {
  const { groupGuid, organizationGuid, branded, at } = draft
  const use = (counter: Counter) => ({ groupGuid, organizationGuid, counter, at })
  return [
    use('links'),
    ...(branded ? [use('branded_links')] : []),
    ...(details?.keyword === undefined ? [] : [use('custom_back_halves')]),
  ]
}

/** For what is done to one link at a time, where nobody brings the organization along. */
export async function countForGroup(
  tx: Transaction<Schema>,
  countUsage: CountUsage,
  groupGuid: string,
  counter: Counter,
  at: number,
): Promise<void> {
  const group = await tx
    .selectFrom('groups')
    .select('organization_guid')
    .where('guid', '=', groupGuid)
    .executeTakeFirst()
  if (group) await countUsage(tx, [{ groupGuid, organizationGuid: group.organization_guid, counter, at }])
}

type NewUsage = Insertable<Schema['usage']>

/** A row for each group, thing and day, in one order, whoever races. */
export function usageRows(uses: readonly (Use & Partial<CountedUse>)[]): readonly NewUsage[] {
  const rows = new Map<string, NewUsage>()
  for (const { groupGuid, organizationGuid, counter, at, count: more = 1 } of uses) {
    const day = at - (at % dayLength)
    const key = `${groupGuid} ${counter} ${day} ${organizationGuid}`
    const count = (rows.get(key)?.count ?? 0) + more
    rows.set(key, { group_guid: groupGuid, name: counter, day, organization_guid: organizationGuid, count })
  }
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}

export function addUsage(db: Kysely<Schema>, rows: readonly NewUsage[]) {
  return db
    .insertInto('usage')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['group_guid', 'name', 'day', 'organization_guid'])
        .doUpdateSet((eb) => ({ count: eb('usage.count', '+', eb.ref('excluded.count')) })),
    )
}

/** What one organization uses of what its plan limits, in one month. */
interface Spending {
  readonly organizationGuid: string
  readonly limits: PlanLimits
  readonly names: readonly FeatureName[]
  readonly at: number
}

/** By organization, in one order; none for the many that have no limits. */
function spendingsOf(uses: readonly Use[], allowances: Allowances): readonly Spending[] {
  let limited: Map<string, Use[]> | undefined
  for (const use of uses) {
    if (allowances.limitsOf(use.organizationGuid) === undefined) continue
    limited ??= new Map()
    // The wishes of one turn may lie on both sides of midnight.
    const key = `${use.organizationGuid} ${monthOf(use.at).from}`
    limited.set(key, [...(limited.get(key) ?? []), use])
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

/** Waits until nobody else is spending for this organization; they wait until our transaction has ended. */
async function takeTurn(tx: Transaction<Schema>, organizationGuid: string): Promise<void> {
  await tx
    .insertInto('plan_turns')
    .values({ organization_guid: organizationGuid, turns: 1 })
    .onConflict((conflict) =>
      conflict.column('organization_guid').doUpdateSet((eb) => ({ turns: eb('plan_turns.turns', '+', 1) })),
    )
    .execute()
}

/** All of the month, what this transaction adds included. */
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
