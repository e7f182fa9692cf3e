/**
 * All links to one long URL, in SQL. link-store.contract.ts defines the behaviour. Uses the unique index of reuse
 * keys (insert-links.ts), so new links do not pay for another index.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { EncoderInput, LinkStore } from '../../../core/links/link-store.js'
import type { Schema } from '../../sql/tables/schema.js'
import { longUrlKey } from './insert-links.js'
import { linkFrom, selectLinks } from './link-row.js'

export function sqlLongUrls(db: Kysely<Schema>) {
  return {
    async isKnownLongUrl(longUrl) {
      const { rows } = await sql`select 1 from (${idsTo(longUrl)}) held limit 1`.execute(db)
      return rows.length > 0
    },

    async groupLinkTo(groupGuid, domain, longUrl) {
      const row = await selectLinks(db)
        .where(sql<boolean>`links.id in (${idsTo(longUrl)})`)
        // Appending nothing keeps SQLite from scanning all links of the group instead.
        .where(sql<boolean>`links.group_guid || '' = ${groupGuid}`)
        .orderBy(sql`case when links.reuse_key is null then 2 when links.domain = ${domain} then 0 else 1 end`)
        .orderBy('links.created_at', 'desc')
        .orderBy('links.id')
        .limit(1)
        .executeTakeFirst()
      return row && linkFrom(row)
    },

    async addressesLeadingTo(longUrl) {
      const { rows } = await sql<{ address: string }>`
        select held.id as address from (${idsTo(longUrl)}) held
        union all
        select named.address from addresses named where named.kind = 'keyword' and named.link_id in (${idsTo(longUrl)})
      `.execute(db)
      return rows.map((row) => row.address)
    },

    async encoders(longUrl, input) {
      if (input.organizationGuids.length === 0 || input.groupGuids?.length === 0) return []
      const { rows } = await sql<{ id: string; created_by: string; created_at: number }>`
        select id, created_by, created_at from (${firstOfEach(longUrl, input)}) made
        where place = 1 order by created_at desc, id limit ${input.size}
      `.execute(db)
      return rows.map((row) => ({ linkId: row.id, login: row.created_by, at: row.created_at }))
    },

    async encoderCount(longUrl) {
      const { rows } = await sql<{ makers: number | string }>`
        select count(distinct created_by) as makers from links where id in (${idsTo(longUrl)})
      `.execute(db)
      return Number(rows[0]?.makers ?? 0)
    },
  } satisfies Partial<LinkStore>
}

function firstOfEach(longUrl: string, { organizationGuids, groupGuids }: EncoderInput): RawBuilder<unknown> {
  const ofOrganizations = sql`select guid from groups where organization_guid in (${sql.join(organizationGuids)})`
  const within = groupGuids === undefined ? sql`` : sql`and group_guid in (${sql.join(groupGuids)})`
  return sql`
    select id, created_by, created_at, row_number() over (partition by created_by order by created_at, id) as place
    from links where id in (${idsTo(longUrl)}) and private = 0 and group_guid in (${ofOrganizations}) ${within}`
}

/** Must match the expression of the index. With `is null`, SQLite scans all links without a key. */
const withoutKey = sql`coalesce(reuse_key, '') = ''`

/**
 * Keys begin with the key of the long URL, then `/B`, the beginning of a group. The bounds hold in any collation,
 * even one that ignores the slash; other rows between them are filtered out.
 */
function idsTo(longUrl: string): RawBuilder<unknown> {
  const key = longUrlKey(longUrl)
  const matches = sql`long_url_key = ${key} and long_url = ${longUrl} and deleted_at is null and hidden = 0`
  return sql`
    select id from links where reuse_key >= ${key} and reuse_key <= ${`${key}zzzz`} and ${matches}
    union all select id from links where ${withoutKey} and ${matches}`
}
