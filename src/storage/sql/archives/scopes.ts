/** Which rows of a table belong to one organization. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { archiveTables } from '../../../core/archives/tables.js'

type TableName = (typeof archiveTables)[number]['name']
type Condition = RawBuilder<SqlBool>

export function rowsOf(table: string, organizationGuid: string | undefined): Condition {
  if (organizationGuid === undefined) return sql`1 = 1`
  return conditionsOf(organizationGuid)[table as TableName]
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

function conditionsOf(organization: string): Readonly<Record<TableName, Condition>> {
  const groups = groupsOf(organization)
  const links = sql`(select id from links where group_guid in ${groups})`
  const members = sql`(select login from organization_members where organization_guid = ${organization}
    union select login from group_members where group_guid in ${groups})`
  const ofOrganization: Condition = sql`organization_guid = ${organization}`
  const ofGroup: Condition = sql`group_guid in ${groups}`
  const ofMember: Condition = sql`login in ${members}`
  const ofLink: Condition = sql`link_id in ${links}`
  const ofCampaign: Condition = sql`campaign_guid in (select guid from campaigns where group_guid in ${groups})
    and channel_guid in (select guid from channels where group_guid in ${groups})`
  return {
    organizations: sql`guid = ${organization}`,
    organization_plans: ofOrganization,
    groups: ofOrganization,
    users: ofMember,
    organization_members: ofOrganization,
    group_members: ofGroup,
    removed_users: sql`login in (select created_by from links where group_guid in ${groups})`,
    applications: ofMember,
    built_in_domains: sql`1 = 1`,
    domains: ofOrganization,
    pending_domains: ofOrganization,
    group_domains: sql`group_guid in ${groups} and domain in (select name from domains where organization_guid = ${organization})`,
    removed_domains: ofOrganization,
    mobile_apps: ofOrganization,
    utm_templates: ofGroup,
    links: ofGroup,
    link_tags: ofGroup,
    addresses: ofLink,
    keyword_history: ofGroup,
    // They belong to nobody.
    global_links: sql`1 = 0`,
    link_deeplinks: ofLink,
    group_tags: ofGroup,
    group_tag_totals: ofGroup,
    campaigns: ofGroup,
    channels: ofGroup,
    campaign_channels: ofCampaign,
    channel_links: ofCampaign,
    images: ofGroup,
    qr_codes: ofGroup,
    qr_code_tags: ofGroup,
    qr_code_images: sql`image_guid in (select guid from images where group_guid in ${groups})`,
    webhooks: ofOrganization,
    stream_access: sql`(kind = 'organization' and subject = ${organization}) or (kind = 'login' and subject in ${members})`,
    usage: ofOrganization,
    plan_turns: ofOrganization,
    reached_limits: ofOrganization,
    audit_log: ofOrganization,
    imported_clicks: sql`address in (select address from addresses where link_id in ${links})`,
    tokens: ofMember,
    api_keys: ofMember,
    two_factors: ofMember,
    recovery_codes: ofMember,
    invitations: sql`organization_guid = ${organization} and group_guid in ${groups}`,
    sessions: ofMember,
  }
}
