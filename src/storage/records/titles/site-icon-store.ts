/** Icons of sites in SQL. What each method promises: site-icon-store.contract.ts. */
import { type Kysely, sql } from 'kysely'
import type { SiteIconStore } from '../../../core/titles/site-icon-store.js'
import type { Transact } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { upsert } from '../steps/rows.js'

const iconColumns = codec('site_icons')

export function sqlSiteIconStore(db: Kysely<Schema>, transact: Transact): SiteIconStore {
  return {
    async find(hosts) {
      if (hosts.length === 0) return []
      const rows = await db.selectFrom('site_icons').selectAll().where('host', 'in', hosts).execute()
      return rows.map((row) => iconColumns.fields(row))
    },

    save: ({ host, image, fetchedAt }, most) =>
      transact(async (tx) => {
        await upsert(tx, 'site_icons', { host }, { image, fetched_at: fetchedAt })
        await sql`delete from site_icons where fetched_at <
          (select fetched_at from site_icons order by fetched_at desc limit 1 offset ${most - 1})`.execute(tx)
      }),
  }
}
