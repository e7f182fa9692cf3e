import { type Insertable, type Kysely, type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import type { Deeplink } from '../../../core/links/deeplink.js'
import type { Link } from '../../../core/links/link.js'
import type { RoutingRule } from '../../../core/links/routing-rule.js'
import { codec, copyable } from '../../sql/tables/codec.js'
import { columnsOf } from '../../sql/tables/index.js'
import type { Schema } from '../../sql/tables/schema.js'

/** The columns of a link as its fields; `routing` and `edited` are called otherwise, the others are internal. */
export const linkColumns = codec('links', ['dynamicRouting', 'editedAt', 'keywordCount', 'longUrlKey', 'reuseKey'])

const emptyRow = copyable(columnsOf('links').map(({ name }) => name))
const defaults = Object.fromEntries(columnsOf('links').flatMap(({ name, defaulted }) => (defaulted ? [[name, 0]] : [])))

/** A complete row, for inserts of several links: their rows must have the same columns. */
export function wholeRow(
  given: Parameters<typeof linkColumns.columns>[0],
  own: Insertable<Schema['links']>,
): Insertable<Schema['links']> {
  return Object.assign({ ...emptyRow }, defaults, linkColumns.columns(given), own)
}

/** A link with everything that belongs to it, in one statement, so it is consistent. */
export function selectLinks(db: Kysely<Schema>): SelectQueryBuilder<Schema, 'links', LinkRow> {
  return db
    .selectFrom('links')
    .selectAll('links')
    .select([
      keywords.as('keywords'),
      tags.as('tags'),
      deeplinks.as('deeplinks'),
      campaigns.as('campaigns'),
      qrCodes.as('qr_codes'),
      sites.as('sites'),
    ])
}

export interface LinkRow extends Selectable<Schema['links']> {
  /** One per line; null if there are none. */
  readonly keywords: string | null
  readonly tags: string | null
  readonly deeplinks: string | null
  readonly campaigns: string | null
  readonly qr_codes: string | null
  readonly sites: string | null
}

export async function readLink(db: Kysely<Schema>, id: string): Promise<Link> {
  return linkFrom(await selectLinks(db).where('links.id', '=', id).executeTakeFirstOrThrow())
}

export function linkFrom(row: LinkRow): Link {
  return linkColumns.fieldsWith(row, {
    edited: row.edited_at !== null,
    keywords: linesOf(row.keywords),
    tags: linesOf(row.tags),
    deeplinks: deeplinksFrom(row.id, row.deeplinks),
    routing: routingFrom(row.dynamic_routing),
    campaignGuids: linesOf(row.campaigns),
    qrCodeIds: linesOf(row.qr_codes),
    siteGuids: linesOf(row.sites),
  })
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

const sites = sql<string | null>`(
  select string_agg(held.site_guid, ${lineFeed} order by held.site_guid)
  from site_links held where held.link_id = links.id and held.is_used = 1
)`
