/** What the stream tells about a link beside its clicks, many at a time. Called outside the HTTP thread. */
import type { Kysely } from 'kysely'
import type { LinkFacts, StreamStore } from '../../../core/stream/stream-store.js'
import type { Schema } from '../database/schema.js'

export function sqlLinkFacts(db: Kysely<Schema>) {
  return {
    async linkFacts(addresses) {
      const facts = new Map<string, LinkFacts>()
      for (let from = 0; from < addresses.length; from += perStatement) {
        const rows = await selectFacts(db, addresses.slice(from, from + perStatement)).execute()
        for (const { address, kind, createdAt, login, globalAddress } of rows) {
          const globalHash = kind === 'global' ? address : globalAddress
          facts.set(address, { login: login ?? '', createdAt: Number(createdAt), globalHash: globalHash ?? undefined })
        }
      }
      return facts
    },
  } satisfies Partial<StreamStore>
}

/** Our choice: few statements, each far below the number of parameters that either engine takes. */
const perStatement = 500

function selectFacts(db: Kysely<Schema>, addresses: readonly string[]) {
  return db
    .selectFrom('addresses')
    .leftJoin('links', 'links.id', 'addresses.link_id')
    .leftJoin('global_links', 'global_links.long_url_key', 'links.long_url_key')
    .select([
      'addresses.address',
      'addresses.kind',
      'addresses.created_at as createdAt',
      'links.created_by as login',
      'global_links.address as globalAddress',
    ])
    .where('addresses.address', 'in', addresses)
}
