import { type Kysely, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import type { QrCode } from '../../../core/qr-codes/qr-code.js'
import type { Gs1 } from '../../../core/qr-contents/gs1.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { linesOf, routingFrom } from '../links/link-row.js'

/** The columns of a code as its fields. */
export const codeColumns = codec('qr_codes', ['gs1'])

/** A code with everything that belongs to it, in one statement and therefore as of one moment. */
export function selectCodes(db: Kysely<Schema>): SelectQueryBuilder<Schema, 'qr_codes' | 'links', QrCodeRow> {
  return db
    .selectFrom('qr_codes')
    .innerJoin('links', 'links.id', 'qr_codes.link_id')
    .selectAll('qr_codes')
    .select([
      'links.hidden',
      'links.site_guid',
      'links.long_url',
      'links.expires_at',
      'links.dynamic_routing',
      tags.as('tags'),
    ])
}

export interface QrCodeRow
  extends Selectable<Schema['qr_codes']>,
    Pick<Selectable<Schema['links']>, 'hidden' | 'site_guid' | 'long_url' | 'expires_at' | 'dynamic_routing'> {
  /** One a line; null when there are none. */
  readonly tags: string | null
}

export function codeFrom(row: QrCodeRow): QrCode {
  return codeColumns.fieldsWith(row, {
    standAlone: row.hidden === 1 && row.site_guid === null,
    siteGuid: row.site_guid ?? undefined,
    tags: linesOf(row.tags),
    gs1: row.gs1 === null ? undefined : gs1From(row.gs1),
    longUrl: row.long_url,
    expiresAt: row.expires_at ?? undefined,
    routing: routingFrom(row.dynamic_routing),
  })
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
