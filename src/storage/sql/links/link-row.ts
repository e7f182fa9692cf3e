import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Deeplink } from '../../../core/links/deeplink.js'
import type { Link } from '../../../core/links/link.js'
import type { RoutingRule } from '../../../core/links/routing-rule.js'
import type { Schema } from '../database/schema.js'

/** A link with everything that belongs to it, in one statement, so it is consistent. */
export function selectLinks(db: Kysely<Schema>): SelectQueryBuilder<Schema, 'links', LinkRow> {
  return db
    .selectFrom('links')
    .select([
      'links.id',
      'links.domain',
      'links.hash',
      'links.group_guid',
      'links.long_url',
      'links.reuse_key',
      'links.title',
      'links.archived',
      'links.created_at',
      'links.modified_at',
      'links.created_by',
      'links.client_id',
      'links.expires_at',
      'links.deleted_at',
      'links.edited_at',
      'links.dynamic_routing',
      'links.note',
      'links.private',
      'links.user_ts',
      'links.hidden',
      keywords.as('keywords'),
      tags.as('tags'),
      deeplinks.as('deeplinks'),
      campaigns.as('campaigns'),
      qrCodes.as('qr_codes'),
    ])
}

export interface LinkRow {
  readonly id: string
  readonly domain: string
  readonly hash: string
  readonly group_guid: string
  readonly long_url: string
  readonly reuse_key: string | null
  readonly title: string | null
  readonly archived: number
  readonly created_at: number
  readonly modified_at: number
  readonly created_by: string
  readonly client_id: string | null
  readonly expires_at: number | null
  readonly deleted_at: number | null
  readonly edited_at: number | null
  readonly dynamic_routing: string | null
  readonly note: string | null
  readonly private: number
  readonly user_ts: number | null
  readonly hidden: number
  /** One per line; null if there are none. */
  readonly keywords: string | null
  readonly tags: string | null
  readonly deeplinks: string | null
  readonly campaigns: string | null
  readonly qr_codes: string | null
}

export async function readLink(db: Kysely<Schema>, id: string): Promise<Link> {
  return linkFrom(await selectLinks(db).where('links.id', '=', id).executeTakeFirstOrThrow())
}

export function linkFrom(row: LinkRow): Link {
  return {
    id: row.id,
    domain: row.domain,
    hash: row.hash,
    groupGuid: row.group_guid,
    longUrl: row.long_url,
    title: row.title ?? undefined,
    archived: row.archived === 1,
    createdAt: row.created_at,
    modifiedAt: row.modified_at,
    createdBy: row.created_by,
    clientId: row.client_id ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    deletedAt: row.deleted_at ?? undefined,
    edited: row.edited_at !== null,
    keywords: linesOf(row.keywords),
    tags: linesOf(row.tags),
    deeplinks: deeplinksFrom(row.id, row.deeplinks),
    routing: routingFrom(row.dynamic_routing),
    campaignGuids: linesOf(row.campaigns),
    qrCodeIds: linesOf(row.qr_codes),
    hidden: row.hidden === 1,
    note: row.note ?? undefined,
    private: row.private === 1,
    userTs: row.user_ts ?? undefined,
  }
}

export function routingFrom(json: string | null): readonly RoutingRule[] {
  // Written by this service and validated before.
  return json === null ? [] : (JSON.parse(json) as readonly RoutingRule[])
}

export function deeplinksFrom(linkId: string, text: string | null): readonly Deeplink[] {
  return fieldsFrom(text).map(
    ([guid = '', appGuid = '', os, appUriPath = '', installUrl = '', installType, brandGuid = '', ...times]) => ({
      guid,
      linkId,
      appGuid,
      os: os as Deeplink['os'],
      appUriPath,
      installUrl,
      installType: installType as Deeplink['installType'],
      brandGuid,
      createdAt: Number(times[0]),
      modifiedAt: Number(times[1]),
    }),
  )
}

/** Parses the result of `aggregatedFields`: the fields of each row as text. */
export function fieldsFrom(text: string | null): readonly (readonly string[])[] {
  return linesOf(text).map((line) => line.split(fieldSeparator))
}

/**
 * Fields of several rows as one text, one row per line; null becomes an empty string. These fields contain no control
 * characters: core rejects them. Works on both engines, unlike their JSON functions.
 */
export function aggregatedFields(
  table: string,
  fields: readonly string[],
  order: RawBuilder<unknown>,
): RawBuilder<string | null> {
  const texts = fields.map((field) => sql`coalesce(cast(${sql.ref(`${table}.${field}`)} as text), '')`)
  const line = sql.join(texts, sql` || ${sql.lit(fieldSeparator)} || `)
  return sql<string | null>`string_agg(${line}, ${lineFeed} order by ${order})`
}

/** Parses an aggregate with one value per line. */
export function linesOf(text: string | null): readonly string[] {
  return text === null ? [] : text.split('\n')
}

const fieldSeparator = '\u001f'
const lineFeed = sql.lit('\n')

/** The keywords of `links.id`, one per line. */
export const keywords = sql<string | null>`(
  select string_agg(named.address, ${lineFeed} order by named.created_at desc, named.address)
  from addresses named where named.link_id = links.id and named.kind = 'keyword'
)`

const tags = sql<string | null>`(
  select string_agg(link_tags.tag, ${lineFeed} order by link_tags.position)
  from link_tags where link_tags.link_id = links.id
)`

const deeplinkFields = [
  'guid',
  'app_guid',
  'os',
  'app_uri_path',
  'install_url',
  'install_type',
  'brand_guid',
  'created_at',
  'modified_at',
]

/** The deep links of `links.id`, one per line. */
const deeplinks = sql<string | null>`(
  select ${aggregatedFields('rule', deeplinkFields, sql`rule.position`)}
  from link_deeplinks rule where rule.link_id = links.id
)`

/** For redirects: checks first whether there are any, which costs a third of aggregating them. */
export const deeplinksOfTarget = sql<string | null>`case
  when exists (select 1 from link_deeplinks rule where rule.link_id = links.id) then ${deeplinks}
end`

const campaigns = sql<string | null>`(
  select string_agg(held.campaign_guid, ${lineFeed} order by held.campaign_guid)
  from (select distinct member.campaign_guid from channel_links member where member.link_id = links.id) held
)`

const qrCodes = sql<string | null>`(
  select string_agg(code.id, ${lineFeed} order by code.created_at desc, code.id)
  from qr_codes code where code.link_id = links.id and code.deleted_at is null
)`
