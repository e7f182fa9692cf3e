/** Plan assignments of organizations in SQL. What each method promises: usage-store.contract.ts. */
import type { Kysely } from 'kysely'
import type { UsageStore } from '../../../core/usage/usage-store.js'
import type { Transact } from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'
import { hasRow } from '../steps/rows.js'

export function sqlPlans(db: Kysely<Schema>, transact: Transact) {
  return {
    async planAssignments() {
      const rows = await db.selectFrom('organization_plans').select(['organization_guid', 'plan']).execute()
      return new Map(rows.map((row) => [row.organization_guid, row.plan]))
    },

    assignPlan: (organizationGuid, plan, at) =>
      transact(async (tx) => {
        if (!(await hasRow(tx, 'organizations', { guid: organizationGuid }))) return 'no-organization'
        await tx
          .insertInto('organization_plans')
          .values({ organization_guid: organizationGuid, plan, assigned_at: at, revision: 1 })
          .onConflict((conflict) =>
            conflict.column('organization_guid').doUpdateSet((eb) => ({
              plan,
              assigned_at: at,
              revision: eb('organization_plans.revision', '+', 1),
            })),
          )
          .execute()
        return 'assigned'
      }),

    async planVersion() {
      const row = await db
        .selectFrom('organization_plans')
        .select(({ fn }) => fn.sum<number | string | null>('revision').as('version'))
        .executeTakeFirst()
      return Number(row?.version ?? 0)
    },
  } satisfies Partial<UsageStore>
}
