/** Where addresses lead, many at a time, for clicks from elsewhere. Called outside the HTTP thread. */
import type { Kysely } from 'kysely'
import type { BatchTarget } from '../../../core/clicks/click-batch.js'
import type { ClickStore } from '../../../core/clicks/click-store.js'
import type { Schema } from '../database/schema.js'

export function sqlImportTargets(db: Kysely<Schema>) {
  return {
    async leads(addresses) {
      const led = new Map<string, BatchTarget>()
      for (let from = 0; from < addresses.length; from += perStatement) {
        const rows = await selectTargets(db, addresses.slice(from, from + perStatement)).execute()
        for (const { address, linkId, groupGuid, destination } of rows) {
          led.set(address, {
            address,
            linkId: linkId ?? '',
            groupGuid: groupGuid ?? '',
            destination: destination ?? '',
          })
        }
      }
      return led
    },
  } satisfies Partial<ClickStore>
}

/** Our choice: few statements, each far below the number of parameters that either engine takes. */
const perStatement = 500

function selectTargets(db: Kysely<Schema>, addresses: readonly string[]) {
  return db
    .selectFrom('addresses')
    .leftJoin('links', 'links.id', 'addresses.link_id')
    .leftJoin('global_links', 'global_links.long_url_key', 'addresses.long_url_key')
    .select(({ fn }) => [
      'addresses.address',
      'addresses.link_id as linkId',
      'links.group_guid as groupGuid',
      fn.coalesce('links.long_url', 'global_links.long_url').as('destination'),
    ])
    .where('addresses.address', 'in', addresses)
}
