import type { Transaction } from 'kysely'
import type { IdentityEntry } from '../../../core/accounts/identity-store.js'
import { plainIssuer } from '../../../core/identity-providers/provider.js'
import type { Schema } from '../../sql/tables/schema.js'
import { findRow, hasRow } from '../steps/rows.js'

/** The user of the provider who signs in: by their identity, or by the external id before the first sign-in. */
export async function provisionedUser(
  tx: Transaction<Schema>,
  entry: IdentityEntry,
  login: string | undefined,
): Promise<{ readonly login: string; readonly is_active: number } | undefined> {
  const issuer = plainIssuer(entry.issuer)
  const columns = ['login', 'is_active'] as const
  if (login !== undefined) return findRow(tx, 'provisioned_users', { issuer, login }, columns)
  const { externalId } = entry
  if (externalId === undefined) return undefined
  const user = await findRow(tx, 'provisioned_users', { issuer, external_id: externalId }, columns)
  if (user) return user
  const key = { issuer, external_id: null, user_name_key: externalId.toLowerCase() }
  const byName = await findRow(tx, 'provisioned_users', key, columns)
  // Names are given again, other than ids: somebody who gets the name later is not that user.
  const isKnown = byName && (await hasRow(tx, 'identities', { issuer: entry.issuer, login: byName.login }))
  return isKnown ? undefined : byName
}

/** Undefined as long as the provider has sent no group. */
export async function provisionedGroupsOf(
  tx: Transaction<Schema>,
  issuer: string,
  login: string,
): Promise<readonly string[] | undefined> {
  if (!(await hasRow(tx, 'provisioned_groups', { issuer }))) return undefined
  const groups = await tx
    .selectFrom('provisioned_members')
    .innerJoin('provisioned_groups', 'id', 'group_id')
    .select(['name', 'external_id'])
    .where('login', '=', login)
    .where('issuer', '=', issuer)
    .execute()
  return groups.flatMap(({ name, external_id: id }) => (id === null ? [name] : [name, id]))
}
