import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Link } from '../../core/links/link.js'
import type { Schema } from './schema.js'

/** A link with its keywords and tags, in one statement and therefore as of one moment. */
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
      'links.created_by',
      'links.client_id',
      'links.expires_at',
      'links.deleted_at',
      keywords.as('keywords'),
      tags.as('tags'),
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
  readonly created_by: string
  readonly client_id: string | null
  readonly expires_at: number | null
  readonly deleted_at: number | null
  /** One a line; null when there are none. */
  readonly keywords: string | null
  readonly tags: string | null
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
    createdBy: row.created_by,
    clientId: row.client_id ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    deletedAt: row.deleted_at ?? undefined,
    keywords: row.keywords?.split('\n') ?? [],
    tags: row.tags?.split('\n') ?? [],
  }
}

// Neither an address nor a tag can hold a line feed. `string_agg` with an order is understood by both engines.
const lineFeed = sql.lit('\n')

const keywords = sql<string | null>`(
  select string_agg(named.address, ${lineFeed} order by named.created_at desc, named.address)
  from addresses named where named.link_id = links.id and named.kind = 'keyword'
)`

const tags = sql<string | null>`(
  select string_agg(link_tags.tag, ${lineFeed} order by link_tags.position)
  from link_tags where link_tags.link_id = links.id
)`
