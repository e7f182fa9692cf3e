/**
 * Pages of a group's QR codes (see database/pages.ts), and bulk changes, in SQL. qr-code-store.contract.ts defines the
 * behaviour.
 */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { tagsPerLink } from '../../../core/links/link-fields.js'
import { asciiPart, leadsTo, mentions } from '../../../core/links/search.js'
import type { QrCode } from '../../../core/qr-codes/qr-code.js'
import type { QrCodeFilter, QrCodePage, QrCodePageInput, QrCodeStore } from '../../../core/qr-codes/qr-code-store.js'
import { chunks } from '../../../lib/chunks.js'
import {
  contains,
  exists,
  itemsPerRead,
  linkConditions,
  optional,
  type PositionFunction,
  readPage,
  type Scan,
  within,
} from '../database/pages.js'
import type { Schema } from '../database/schema.js'
import type { Transact } from '../database/transact.js'
import { type BulkItems, changeAll } from '../links/change-links.js'
import { qrCodeTags } from '../links/write-tags.js'
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
  const wanted = sql.join<SqlBool>(conditions, sql` and `)
  return tag === undefined ? throughGroup(db, groupGuid, wanted) : throughTag(db, groupGuid, tag, wanted)
}

function throughGroup(db: Kysely<Schema>, groupGuid: string, wanted: RawBuilder<SqlBool>): Scan<QrCodeRow> {
  return {
    async ahead(range, step) {
      const row = await db
        .selectFrom('qr_codes')
        .select(['created_at', 'id'])
        .where('group_guid', '=', groupGuid)
        .where(within('created_at', 'id', range))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .offset(step - 1)
        .executeTakeFirst()
      return row && { createdAt: row.created_at, id: row.id }
    },
    rows: (range, limit) =>
      selectCodes(db)
        .where('qr_codes.group_guid', '=', groupGuid)
        .where(within('qr_codes.created_at', 'qr_codes.id', range))
        .where(wanted)
        .orderBy('qr_codes.created_at', 'desc')
        .orderBy('qr_codes.id', 'desc')
        .limit(limit)
        .execute(),
  }
}

function throughTag(db: Kysely<Schema>, groupGuid: string, tag: string, wanted: RawBuilder<SqlBool>): Scan<QrCodeRow> {
  return {
    async ahead(range, step) {
      const row = await db
        .selectFrom('qr_code_tags')
        .select(['created_at', 'code_id'])
        .where('group_guid', '=', groupGuid)
        .where('tag', '=', tag)
        .where(within('created_at', 'code_id', range))
        .orderBy('created_at', 'desc')
        .orderBy('code_id', 'desc')
        .limit(1)
        .offset(step - 1)
        .executeTakeFirst()
      return row && { createdAt: row.created_at, id: row.code_id }
    },
    rows: (range, limit) =>
      selectCodes(db)
        .innerJoin('qr_code_tags as tagged', 'tagged.code_id', 'qr_codes.id')
        .where('tagged.group_guid', '=', groupGuid)
        .where('tagged.tag', '=', tag)
        .where(within('tagged.created_at', 'tagged.code_id', range))
        .where(wanted)
        .orderBy('tagged.created_at', 'desc')
        .orderBy('tagged.code_id', 'desc')
        .limit(limit)
        .execute(),
  }
}

function conditionsOf(filter: QrCodeFilter, position: PositionFunction): readonly RawBuilder<SqlBool>[] {
  const { archived, makers = [] } = filter
  const ofLink = linkConditionsOf(filter, position)
  return [
    ...(ofLink.length === 0 ? [] : [ofItsLink(sql.join<SqlBool>(ofLink, sql` and `))]),
    ...(archived === undefined ? [] : [sql<SqlBool>`qr_codes.archived = ${archived ? 1 : 0}`]),
    ...optional(filter.designed, sql`qr_codes.design is not null`),
    ...optional(filter.gs1, sql`qr_codes.gs1 is not null`),
    ...(makers.length > 0 ? [sql<SqlBool>`qr_codes.created_by in (${sql.join(makers)})`] : []),
  ]
}

function linkConditionsOf(filter: QrCodeFilter, position: PositionFunction): readonly RawBuilder<SqlBool>[] {
  return [
    ...optional(filter.standAlone, sql`links.hidden = 1`),
    ...linkConditions(filter, position),
    ...(filter.words ?? []).flatMap((word) => mayMention(word, position)),
  ]
}

/** In a subquery, because PostgreSQL would otherwise begin with all links that match. */
function ofItsLink(condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> {
  return exists(sql`links where links.id = qr_codes.link_id and ${condition}`)
}

function hasTag(tag: string): RawBuilder<SqlBool> {
  return exists(sql`qr_code_tags other where other.code_id = qr_codes.id and other.tag = ${tag}`)
}

function mayMention(word: string, position: PositionFunction): readonly RawBuilder<SqlBool>[] {
  const part = asciiPart(word)
  if (part === '') return []
  const within = (column: string) => contains(column, part, position)
  return [
    sql`(
      ${within('links.long_url')} or ${within('qr_codes.title')} or ${within('qr_codes.address')}
      or ${exists(sql`qr_code_tags worn where worn.code_id = qr_codes.id and ${within('worn.tag')}`)}
    )`,
  ]
}

/** The SQL conditions match more than the filter means; core decides. */
function isWanted(code: QrCode, { words = [], destination }: QrCodeFilter): boolean {
  const { title, longUrl, tags, address } = code
  const hash = address.slice(address.indexOf('/') + 1)
  return (
    mentions({ title, longUrl, tags, hash, keywords: [] }, words) && (!destination || leadsTo(longUrl, destination))
  )
}
