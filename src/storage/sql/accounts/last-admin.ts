import type { Transaction } from 'kysely'
import type { Schema } from '../database/schema.js'

/**
 * An organization, or the given one, in which this user is the only active administrator. Ask it in a serializable
 * transaction: others may be leaving at the same time.
 */
export async function lastAdminOf(
  tx: Transaction<Schema>,
  login: string,
  organizationGuid?: string,
): Promise<string | undefined> {
  const left = await tx
    .selectFrom('organization_members as member')
    .innerJoin('users', 'users.login', 'member.login')
    .innerJoin('organizations', 'organizations.guid', 'member.organization_guid')
    .select('organizations.guid')
    .where('users.login', '=', login)
    .where('users.is_active', '=', 1)
    .where('member.role', '=', 'admin')
    .where('organizations.is_active', '=', 1)
    .$if(organizationGuid !== undefined, (query) => query.where('organizations.guid', '=', organizationGuid ?? ''))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('organization_members as other')
            .innerJoin('users as colleague', 'colleague.login', 'other.login')
            .select('other.login')
            .whereRef('other.organization_guid', '=', 'member.organization_guid')
            .where('other.role', '=', 'admin')
            .where('colleague.is_active', '=', 1)
            .where('other.login', '<>', login),
        ),
      ),
    )
    .orderBy('organizations.guid')
    .limit(1)
    .executeTakeFirst()
  return left?.guid
}
