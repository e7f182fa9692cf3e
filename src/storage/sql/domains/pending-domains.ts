/** Domains that wait for proof of ownership; several organizations may wait for the same one. */
import type { Kysely, Selectable, Transaction } from 'kysely'
import type { BrandedDomain, DomainChange, NewDomain } from '../../../core/domains/domain-store.js'
import type { Schema } from '../database/schema.js'
import { changesRow } from '../database/transact.js'

/** `taken` if the organization already waits for it. */
export async function addPending(tx: Transaction<Schema>, domain: NewDomain): Promise<'added' | 'taken'> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('pending_domains')
    .values({
      name: domain.name,
      organization_guid: domain.organizationGuid,
      group_guids: JSON.stringify(domain.groupGuids),
      root_url: domain.rootUrl ?? null,
      not_found_url: domain.notFoundUrl ?? null,
      created_at: domain.at,
      created_by: domain.createdBy,
    })
    .onConflict((conflict) => conflict.columns(['name', 'organization_guid']).doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 0n ? 'taken' : 'added'
}

/** False if the organization does not wait for it. */
export async function changePending(
  tx: Transaction<Schema>,
  organizationGuid: string,
  name: string,
  { groupGuids, rootUrl, notFoundUrl }: DomainChange,
): Promise<boolean> {
  return changesRow(
    tx
      .updateTable('pending_domains')
      .set({
        name,
        ...(groupGuids !== undefined && { group_guids: JSON.stringify(groupGuids) }),
        ...(rootUrl !== undefined && { root_url: rootUrl }),
        ...(notFoundUrl !== undefined && { not_found_url: notFoundUrl }),
      })
      .where('name', '=', name)
      .where('organization_guid', '=', organizationGuid),
  )
}

export async function removePending(tx: Transaction<Schema>, organizationGuid: string, name: string): Promise<boolean> {
  return changesRow(
    tx.deleteFrom('pending_domains').where('name', '=', name).where('organization_guid', '=', organizationGuid),
  )
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

function pendingFrom(row: Selectable<Schema['pending_domains']>): BrandedDomain {
  return {
    name: row.name,
    organizationGuid: row.organization_guid,
    isProven: false,
    // Written above as JSON of strings.
    groupGuids: (JSON.parse(row.group_guids) as string[]).sort(),
    rootUrl: row.root_url ?? undefined,
    notFoundUrl: row.not_found_url ?? undefined,
    createdAt: row.created_at,
    createdBy: row.created_by,
  }
}
