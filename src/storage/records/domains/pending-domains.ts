/** Domains that wait for proof of ownership; several organizations may wait for the same one. */
import type { Kysely, Selectable, Transaction } from 'kysely'
import type { BrandedDomain, DomainChange, NewDomain } from '../../../core/domains/domain-store.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { deleteRows, insertMissing, updateRows } from '../steps/rows.js'

/** `taken` if the organization already waits for it. */
export async function addPending(tx: Transaction<Schema>, domain: NewDomain): Promise<'added' | 'taken'> {
  const row = pendingColumns.columns({ ...domain, createdAt: domain.at })
  return (await insertMissing(tx, 'pending_domains', row)) ? 'added' : 'taken'
}

/** False if the organization does not wait for it. */
export async function changePending(
  tx: Transaction<Schema>,
  organizationGuid: string,
  name: string,
  change: DomainChange,
): Promise<boolean> {
  return updateRows(
    tx,
    'pending_domains',
    { name, organization_guid: organizationGuid },
    { ...pendingColumns.columns(change), name },
  )
}

export async function removePending(tx: Transaction<Schema>, organizationGuid: string, name: string): Promise<boolean> {
  return deleteRows(tx, 'pending_domains', { name, organization_guid: organizationGuid })
}

export async function forgetPending(tx: Transaction<Schema>, name: string): Promise<void> {
  await tx.deleteFrom('pending_domains').where('name', '=', name).execute()
}

export async function selectPending(
  db: Kysely<Schema>,
  filter: { readonly organizationGuid?: string | undefined; readonly name?: string | undefined },
): Promise<readonly BrandedDomain[]> {
  const { organizationGuid, name } = filter
  const rows = await db
    .selectFrom('pending_domains')
    .selectAll()
    .$if(organizationGuid !== undefined, (query) => query.where('organization_guid', '=', organizationGuid ?? ''))
    .$if(name !== undefined, (query) => query.where('name', '=', name ?? ''))
    .execute()
  return rows.map(pendingFrom)
}

const pendingColumns = codec('pending_domains', ['groupGuids'])

function pendingFrom(row: Selectable<Schema['pending_domains']>): BrandedDomain {
  const groupGuids = (JSON.parse(row.group_guids) as string[]).sort()
  return pendingColumns.fieldsWith(row, { isProven: false, groupGuids })
}
