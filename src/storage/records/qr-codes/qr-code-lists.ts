/**
 * Pages of a group's QR codes (see database/pages.ts), and bulk changes, in SQL. qr-code-store.contract.ts defines the
 * behaviour.
 */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Page, PageInput } from '../../../core/links/link-store.js'
import type { QrCode } from '../../../core/qr-codes/qr-code.js'
import type { QrCodeFilter, QrCodeStore } from '../../../core/qr-codes/qr-code-store.js'
import { chunks } from '../../../lib/chunks.js'
import type { Transact } from '../../sql/database/transact.js'
import type { PositionFunction } from '../../sql/engine.js'
import type { Schema } from '../../sql/tables/schema.js'
import { type BulkItems, changeAll } from '../links/change-links.js'
import { qrCodeTags } from '../links/write-tags.js'
import {
  type Conditions,
  exists,
  groupIndex,
  hasTooManyTags,
  isExactly,
  itemsPerRead,
  linkConditions,
  mayMention,
  noItems,
  optional,
  ownConditions,
  readPage,
  type Scan,
  scanThrough,
  tagIndex,
} from '../steps/pages.js'
import { codeFrom, type QrCodeRow, selectCodes } from './qr-code-row.js'

export function sqlQrCodeLists(db: Kysely<Schema>, transact: Transact, position: PositionFunction) {
  return {
    page: (input) => readCodes(db, input, position),
    changeAll: (groupGuid, ids, change, context) => changeAll(transact, bulkCodes, groupGuid, ids, change, context),

    async standAlone(groupGuid, linkIds) {
      const found = new Map<string, QrCode>()
      for (const some of chunks(linkIds, itemsPerRead)) {
        const rows = await selectCodes(db)
          .where('qr_codes.link_id', 'in', some)
          .where('qr_codes.group_guid', '=', groupGuid)
          .where('qr_codes.deleted_at', 'is', null)
          .where('links.hidden', '=', 1)
          .where('links.site_guid', 'is', null)
          .execute()
        for (const row of rows) found.set(row.link_id, codeFrom(row))
      }
      return found
    },
  } satisfies Partial<QrCodeStore>
}

const bulkCodes: BulkItems = {
  async find(tx, ids) {
    const rows = await tx
      .selectFrom('qr_codes')
      .select(['id', 'group_guid as groupGuid', 'created_at as createdAt'])
      .where('id', 'in', ids)
      .execute()
    return new Map(rows.map((row) => [row.id, row]))
  },
  table: 'qr_codes',
  tags: qrCodeTags,
}

async function readCodes(
  db: Kysely<Schema>,
  input: PageInput<QrCodeFilter>,
  position: PositionFunction,
): Promise<Page<QrCode>> {
  const { groupGuid, filter } = input
  if (hasTooManyTags(filter)) return noItems
  return readPage(scanFor(db, groupGuid, filter, position), input, codeFrom, ({ title, longUrl, tags, address }) => {
    const hash = address.slice(address.indexOf('/') + 1)
    return isExactly(filter, { title, longUrl, tags, hash, keywords: [] })
  })
}

function scanFor(
  db: Kysely<Schema>,
  groupGuid: string,
  filter: QrCodeFilter,
  position: PositionFunction,
): Scan<QrCodeRow> {
  const [tag, ...otherTags] = new Set(filter.tags)
  const conditions = [
    sql<SqlBool>`qr_codes.deleted_at is null`,
    ...conditionsOf(filter, position),
    ...otherTags.map(hasTag),
  ]
  if (tag === undefined) return scanThrough(db, selectCodes(db), groupIndex('qr_codes', groupGuid), conditions)
  const tagged = selectCodes(db).innerJoin('qr_code_tags', 'qr_code_tags.code_id', 'qr_codes.id')
  return scanThrough(db, tagged, tagIndex('qr_code_tags', groupGuid, tag), conditions)
}

function conditionsOf(filter: QrCodeFilter, position: PositionFunction): Conditions {
  const ofLink = linkConditionsOf(filter, position)
  return [
    ...(ofLink.length === 0 ? [] : [ofItsLink(sql.join<SqlBool>(ofLink, sql` and `))]),
    ...ownConditions('qr_codes', filter),
    ...optional(filter.designed, sql`qr_codes.design is not null`),
    ...optional(filter.gs1, sql`qr_codes.gs1 is not null`),
  ]
}

function linkConditionsOf(filter: QrCodeFilter, position: PositionFunction): Conditions {
  const columns = ['links.long_url', 'qr_codes.title', 'qr_codes.address']
  return [
    ...optional(filter.standAlone, sql`(links.hidden = 1 and links.site_guid is null)`),
    ...linkConditions(filter, position),
    ...mayMention(filter.words, position, columns, (within) => [
      exists(sql`qr_code_tags worn where worn.code_id = qr_codes.id and ${within('worn.tag')}`),
    ]),
  ]
}

/** In a subquery, because PostgreSQL would otherwise begin with all links that match. */
function ofItsLink(condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> {
  return exists(sql`links where links.id = qr_codes.link_id and ${condition}`)
}

function hasTag(tag: string): RawBuilder<SqlBool> {
  return exists(sql`qr_code_tags other where other.code_id = qr_codes.id and other.tag = ${tag}`)
}
