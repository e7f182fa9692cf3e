import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { QrCode } from '../../../core/qr-codes/qr-code.js'
import type { Gs1 } from '../../../core/qr-contents/gs1.js'
import type { QrDesign } from '../../../core/qr-design/design.js'
import type { Schema } from '../database/schema.js'
import { linesOf, routingFrom } from '../links/link-row.js'

/** A code with everything that belongs to it, in one statement and therefore as of one moment. */
export function selectCodes(db: Kysely<Schema>): SelectQueryBuilder<Schema, 'qr_codes' | 'links', QrCodeRow> {
  return db
    .selectFrom('qr_codes')
    .innerJoin('links', 'links.id', 'qr_codes.link_id')
    .select([
      'qr_codes.id',
      'qr_codes.image_id',
      'qr_codes.group_guid',
      'qr_codes.link_id',
      'qr_codes.address',
      'qr_codes.title',
      'qr_codes.archived',
      'qr_codes.design',
      'qr_codes.gs1',
      'qr_codes.created_by',
      'qr_codes.created_at',
      'qr_codes.modified_at',
      'qr_codes.deleted_at',
      'links.hidden',
      'links.long_url',
      'links.expires_at',
      'links.dynamic_routing',
      tags.as('tags'),
    ])
}

export interface QrCodeRow {
  readonly id: string
  readonly image_id: string
  readonly group_guid: string
  readonly link_id: string
  readonly address: string
  readonly title: string | null
  readonly archived: number
  readonly design: string | null
  readonly gs1: string | null
  readonly created_by: string
  readonly created_at: number
  readonly modified_at: number
  readonly deleted_at: number | null
  readonly hidden: number
  readonly long_url: string
  readonly expires_at: number | null
  readonly dynamic_routing: string | null
  /** One a line; null when there are none. */
  readonly tags: string | null
}

export function codeFrom(row: QrCodeRow): QrCode {
  return {
    id: row.id,
    imageId: row.image_id,
    groupGuid: row.group_guid,
    address: row.address,
    linkId: row.link_id,
    standAlone: row.hidden === 1,
    title: row.title ?? undefined,
    archived: row.archived === 1,
    tags: linesOf(row.tags),
    // Written by us, and checked before that.
    design: row.design === null ? undefined : (JSON.parse(row.design) as QrDesign),
    gs1: row.gs1 === null ? undefined : gs1From(row.gs1),
    createdBy: row.created_by,
    createdAt: row.created_at,
    modifiedAt: row.modified_at,
    deletedAt: row.deleted_at ?? undefined,
    longUrl: row.long_url,
    expiresAt: row.expires_at ?? undefined,
    routing: routingFrom(row.dynamic_routing),
  }
}

/** Values alone were written before they were verified, and the codes were printed without them: they stay as they are. */
function gs1From(json: string): Gs1 {
  const stored = JSON.parse(json) as Gs1 | Gs1['values']
  return 'link' in stored ? stored : { values: stored, link: '' }
}

const tags = sql<string | null>`(
  select string_agg(worn.tag, ${sql.lit('\n')} order by worn.position)
  from qr_code_tags worn where worn.code_id = qr_codes.id
)`
