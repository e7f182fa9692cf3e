/** Which rows of a table belong to one organization. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type TableName, tables } from '../../sql/tables/index.js'
import type { Owner } from '../../sql/tables/table.js'

type Condition = RawBuilder<SqlBool>

export function rowsOf(table: TableName, organizationGuid: string | undefined): Condition {
  if (organizationGuid === undefined) return sql`1 = 1`
  const conditions = conditionsOf(organizationGuid)
  // Their groups belong to nobody, and are not in the archive.
  if (table === 'provisioned_members') return conditions.nobody
  const own = conditions[tables[table].owner]
  if (table !== 'applications') return own
  // Those that registered themselves belong to nobody: the tokens of the members need them.
  return sql`(${own} or (login is null and client_id in (select client_id from tokens where ${conditions.user})))`
}

/** A user's default group may belong to another organization, which the archive lacks: the first group replaces it. */
export function defaultGroupIn(organizationGuid: string): RawBuilder<unknown> {
  const groups = groupsOf(organizationGuid)
  return sql`case when default_group_guid in ${groups} then default_group_guid
    else (select min(guid) from groups where organization_guid = ${organizationGuid}) end as default_group_guid`
}

function groupsOf(organizationGuid: string): RawBuilder<unknown> {
  return sql`(select guid from groups where organization_guid = ${organizationGuid})`
}

function conditionsOf(organization: string): Readonly<Record<Owner, Condition>> {
  const groups = groupsOf(organization)
  const links = sql`(select id from links where group_guid in ${groups})`
  const members = sql`(select login from organization_members where organization_guid = ${organization}
    union select login from group_members where group_guid in ${groups})`
  return {
    organization: sql`organization_guid = ${organization}`,
    group: sql`group_guid in ${groups}`,
    user: sql`login in ${members}`,
    link: sql`link_id in ${links}`,
    campaign: sql`campaign_guid in (select guid from campaigns where group_guid in ${groups})
      and channel_guid in (select guid from channels where group_guid in ${groups})`,
    image: sql`image_guid in (select guid from images where group_guid in ${groups})`,
    site: sql`site_guid in (select guid from sites where group_guid in ${groups})`,
    address: sql`address in (select address from addresses where link_id in ${links})`,
    itself: sql`guid = ${organization}`,
    subject: sql`(kind = 'organization' and subject = ${organization}) or (kind = 'login' and subject in ${members})`,
    'group and domain': sql`group_guid in ${groups}
      and domain in (select name from domains where organization_guid = ${organization})`,
    'group and organization': sql`organization_guid = ${organization} and group_guid in ${groups}`,
    'former user': sql`login in (select created_by from links where group_guid in ${groups})`,
    everybody: sql`1 = 1`,
    nobody: sql`1 = 0`,
  }
}
