/**
 * Pages of a group's QR codes (see database/pages.ts), and bulk changes, in SQL. qr-code-store.contract.ts defines the
 * behaviour.
 */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { tagsPerLink } from '../../../core/links/link-fields.js'
import { leadsTo, mentions } from '../../../core/links/search.js'
import type { QrCode } from '../../../core/qr-codes/qr-code.js'
import type { QrCodeFilter, QrCodePage, QrCodePageInput, QrCodeStore } from '../../../core/qr-codes/qr-code-store.js'
import { chunks } from '../../../lib/chunks.js'
import type { Transact } from '../../sql/database/transact.js'
import type { PositionFunction } from '../../sql/engine.js'
import type { Schema } from '../../sql/tables/schema.js'
import { type BulkItems, changeAll } from '../links/change-links.js'
import { qrCodeTags } from '../links/write-tags.js'
import {
  type Conditions,
  exists,
  itemsPerRead,
  linkConditions,
  mayMention,
  optional,
  ownConditions,
  readPage,
  type Scan,
  scanThrough,
} from '../steps/pages.js'
import { codeFrom, type QrCodeRow, selectCodes } from './qr-code-row.js'

export function sqlQrCodeLists(db: Kysely<Schema>, transact: Transact, position: PositionFunction) {
  return {
    page: (input) => readCodes(db, input, position),
    changeAll: (groupGuid, ids, change, at) => changeAll(transact, bulkCodes, groupGuid, ids, change, at),

    async standAlone(groupGuid, linkIds) {
      const found = new Map<string, QrCode>()
      for (const some of chunks(linkIds, itemsPerRead)) {
        const rows = await selectCodes(db)
          .where('qr_codes.link_id', 'in', some)
          .where('qr_codes.group_guid', '=', groupGuid)
          .where('qr_codes.deleted_at', 'is', null)
          .where('links.hidden', '=', 1)
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
  async touch(tx, id, set) {
    const update = tx.updateTable('qr_codes').set(set).where('id', '=', id).where('deleted_at', 'is', null)
    return (await update.executeTakeFirstOrThrow()).numUpdatedRows > 0n
  },
  tags: qrCodeTags,
}

async function readCodes(
  db: Kysely<Schema>,
  { groupGuid, filter, after, size }: QrCodePageInput,
  position: PositionFunction,
): Promise<QrCodePage> {
  // Each tag is a separate condition: engines reject a thousand, or plan for a minute.
  if (new Set(filter.tags).size > tagsPerLink) return { codes: [], more: false }
  const scan = scanFor(db, groupGuid, filter, position)
  const { items, more } = await readPage(scan, { after, size, filter }, (row) => {
    const code = codeFrom(row)
    return isWanted(code, filter) ? code : undefined
  })
  return { codes: items, more }
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
  if (tag === undefined) {
    const where = sql<SqlBool>`qr_codes.group_guid = ${groupGuid}`
    return scanThrough(db, selectCodes(db), { table: 'qr_codes', id: 'id', where }, conditions)
  }
  const where = sql<SqlBool>`qr_code_tags.group_guid = ${groupGuid} and qr_code_tags.tag = ${tag}`
  const tagged = selectCodes(db).innerJoin('qr_code_tags', 'qr_code_tags.code_id', 'qr_codes.id')
  return scanThrough(db, tagged, { table: 'qr_code_tags', id: 'code_id', where }, conditions)
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
    ...optional(filter.standAlone, sql`links.hidden = 1`),
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

/** The SQL conditions match more than the filter means; core decides. */
function isWanted(code: QrCode, { words = [], destination }: QrCodeFilter): boolean {
  const { title, longUrl, tags, address } = code
  const hash = address.slice(address.indexOf('/') + 1)
  return (
    mentions({ title, longUrl, tags, hash, keywords: [] }, words) && (!destination || leadsTo(longUrl, destination))
  )
}
