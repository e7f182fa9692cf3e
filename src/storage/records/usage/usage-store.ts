/** Reads usage counters in SQL; count-usage.ts writes them. What each method promises: usage-store.contract.ts. */
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Span, UsageScope, UsageStore } from '../../../core/usage/usage-store.js'
import type { Transact } from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'
import { type Allowances, usageWrites } from './count-usage.js'
import { sqlPlans } from './plans.js'

export function sqlUsageStore(db: Kysely<Schema>, transact: Transact, allowances: Allowances): UsageStore {
  return {
    ...sqlPlans(db, transact),
    ...usageWrites(transact, allowances),

    async perDay(scope, counters, { from, to }) {
      if (counters.length === 0) return []
      const rows = await within(db, scope)
        .select(({ fn }) => ['name', 'day', fn.sum<number | string>('count').as('total')])
        .where('name', 'in', counters)
        .where('day', '>=', from)
        .where('day', '<', to)
        .groupBy(['name', 'day'])
        .orderBy('day')
        .orderBy('name')
        .execute()
      return rows.map(({ name, day, total }) => ({ counter: name, day, count: Number(total) }))
    },

    async perGroup(organizationGuid, counter, { from, to }) {
      const rows = await within(db, { organizationGuid })
        .select(({ fn }) => ['group_guid', fn.sum<number | string>('count').as('total')])
        .where('name', '=', counter)
        .where('day', '>=', from)
        .where('day', '<', to)
        .groupBy('group_guid')
        .execute()
      const used = rows.map(({ group_guid, total }) => ({ groupGuid: group_guid, count: Number(total) }))
      // Sorted here, because the engines collate text differently.
      return used.sort((one, other) => other.count - one.count || (one.groupGuid < other.groupGuid ? -1 : 1))
    },

    async firstDay(scope, counter) {
      const row = await within(db, scope)
        .select('day')
        .where('name', '=', counter)
        .orderBy('day')
        .limit(1)
        .executeTakeFirst()
      return row?.day
    },

    async linksPerMinute(groupGuid, span) {
      const minute = sql<number>`created_at - created_at % 60000`
      const rows = await linksWithin(db, groupGuid, span)
        .select(({ fn }) => [minute.as('start'), fn.countAll<number | string>().as('total')])
        .groupBy(minute)
        .orderBy(minute)
        .execute()
      return rows.map(({ start, total }) => ({ start, count: Number(total) }))
    },

    async firstLinkAt(groupGuid, from) {
      const row = await linksWithin(db, groupGuid, { from, to: Number.MAX_SAFE_INTEGER })
        .select('created_at')
        .orderBy('created_at')
        .limit(1)
        .executeTakeFirst()
      return row?.created_at
    },
  }
}

function within(db: Kysely<Schema>, scope: UsageScope): SelectQueryBuilder<Schema, 'usage', object> {
  const { groupGuid, organizationGuid } = scope
  let rows = db.selectFrom('usage')
  if (groupGuid !== undefined) rows = rows.where('group_guid', '=', groupGuid)
  if (organizationGuid !== undefined) rows = rows.where('organization_guid', '=', organizationGuid)
  return rows
}

/** Reads only the indexes of the group's links and of its hidden links. */
function linksWithin(db: Kysely<Schema>, groupGuid: string, { from, to }: Span) {
  return db
    .selectFrom('links')
    .where('group_guid', '=', groupGuid)
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .where('id', 'not in', (eb) =>
      eb.selectFrom('links as other').select('other.id').where('other.group_guid', '=', groupGuid).where(isHidden),
    )
}

/** Not a parameter: the index holds only these, and the engine must see that they are what is asked for. */
const isHidden = sql<boolean>`other.hidden = 1`
