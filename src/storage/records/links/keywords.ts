/** Custom back-halves in SQL. link-store.contract.ts defines the behaviour. Does not know which domains match. */
import { type CompiledQuery, type Kysely, sql } from 'kysely'
import type { KeywordEntry, LinkStore } from '../../../core/links/link-store.js'
import { chunks } from '../../../lib/chunks.js'
import type { Announce } from '../../sql/database/announce.js'
import type { Transact } from '../../sql/database/transact.js'
import { undoable } from '../../sql/database/undoable.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { type CountUsage, countForGroup } from '../usage/count-usage.js'
import { aggregatedFields, fieldsFrom, type LinkRow, linkFrom, selectLinks } from './link-row.js'
import { noteLinksUpdated } from './note-link-updated.js'
import { insertKeyword, repointKeyword } from './write-keywords.js'

export function sqlKeywords(db: Kysely<Schema>, transact: Transact, announce: Announce, countUsage: CountUsage) {
  const keywords = compileKeywords(db)
  return {
    addKeyword: (address, linkId, context) =>
      undoable(transact, async (tx, undo) => {
        const added = await insertKeyword(tx, address, linkId, context)
        if (added.outcome === 'held') return undo({ outcome: 'done' })
        if (added.outcome !== 'done') return undo(added)
        await announce(tx, [address])
        await noteLinksUpdated(tx, [linkId], context.at)
        await countForGroup(tx, countUsage, added.groupGuid, 'custom_back_halves', context.at)
        return { outcome: 'done' }
      }),

    moveKeyword: (address, linkId, context) =>
      undoable(transact, async (tx, undo) => {
        const moved = await repointKeyword(tx, address, linkId, context)
        if (moved.outcome !== 'moved') return undo(moved.outcome)
        await announce(tx, [address])
        await noteLinksUpdated(tx, moved.links, context.at)
        return moved.outcome
      }),

    async getKeyword(address) {
      const { rows } = await db.executeQuery<KeywordRow>({ ...keywords, parameters: [address, 'keyword'] })
      const [row] = rows
      return row && { address, link: linkFrom(row), history: historyFrom(row.history) }
    },

    async currentEntries(addresses) {
      const found = new Map<string, KeywordEntry>()
      for (const some of chunks(addresses, addressesPerRead)) {
        const rows = await db
          .selectFrom('keyword_history')
          .select(['address', ...entryFields])
          .where('address', 'in', some)
          .where('deactivated_at', 'is', null)
          .execute()
        for (const row of rows) found.set(row.address, entryColumns.fields(row))
      }
      return found
    },
  } satisfies Partial<LinkStore>
}

interface KeywordRow extends LinkRow {
  readonly history: string | null
}

/** The values are placeholders, which each call replaces. */
function compileKeywords(db: Kysely<Schema>): CompiledQuery<KeywordRow> {
  return selectLinks(db)
    .innerJoin('addresses as used', 'used.link_id', 'links.id')
    .select(history.as('history'))
    .where('used.address', '=', 'address')
    .where('used.kind', '=', 'keyword')
    .compile()
}

/** SQLite reads this many in about a millisecond, and yields to the event loop between statements. */
const addressesPerRead = 100

const entryFields = [
  'link_id',
  'group_guid',
  'login',
  'long_url',
  'created_at',
  'first_created_at',
  'deactivated_at',
] as const

const entryColumns = codec('keyword_history', ['guid', 'address'])

/** Two entries may share a millisecond: the one that ended later, or has not ended, is newer. */
const history = sql<string | null>`(
  select ${aggregatedFields(
    'entry',
    entryFields,
    sql`entry.created_at desc,
    coalesce(entry.deactivated_at, 9007199254740991) desc`,
  )}
  from keyword_history entry where entry.address = used.address
)`

function historyFrom(text: string | null): readonly KeywordEntry[] {
  return fieldsFrom(text).map(([linkId = '', groupGuid = '', login = '', longUrl = '', ...times]) => {
    const [createdAt, firstCreatedAt, deactivatedAt = ''] = times
    return {
      linkId,
      groupGuid,
      login,
      longUrl,
      createdAt: Number(createdAt),
      firstCreatedAt: Number(firstCreatedAt),
      deactivatedAt: deactivatedAt === '' ? undefined : Number(deactivatedAt),
    }
  })
}
