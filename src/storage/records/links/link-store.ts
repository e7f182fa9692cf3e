/**
 * Links and their addresses in SQL: the single reads are here, inserts, changes and lists in the files beside it. What
 * each method promises: link-store.contract.ts. Knows no rules, such as who may create a link.
 */
import type { CompiledQuery, Kysely } from 'kysely'
import type { Link, Target, TargetRules } from '../../../core/links/link.js'
import { targetFields } from '../../../core/links/link-fields.js'
import type { LinkStore } from '../../../core/links/link-store.js'
import { chunks } from '../../../lib/chunks.js'
import type { Announce } from '../../sql/database/announce.js'
import type { Lookup } from '../../sql/database/lookup.js'
import type { Transact } from '../../sql/database/transact.js'
import type { PositionFunction } from '../../sql/engine.js'
import { partOf } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import type { UsageLimits } from '../usage/count-usage.js'
import { linkBatches } from './create-batches.js'
import { type InsertOptions, linkInserts, longUrlKey, reuseKey } from './insert-links.js'
import { sqlKeywords } from './keywords.js'
import { sqlLinkHistory } from './link-history.js'
import { sqlLinkLists } from './link-lists.js'
import { deeplinksFrom, deeplinksOfTarget, type LinkRow, linkFrom, routingFrom, selectLinks } from './link-row.js'
import { sqlLongUrls } from './long-urls.js'
import { linkChanges, linkSteps } from './write-links.js'

export interface LinkStoreOptions extends InsertOptions {
  /** Runs the query of a redirect. */
  readonly lookup: Lookup
  readonly announce: Announce
  readonly usageLimits: UsageLimits
  readonly position: PositionFunction
}

export function sqlLinkStore(db: Kysely<Schema>, transact: Transact, options: LinkStoreOptions): LinkStore {
  const { announce, countUsage } = options
  const inserts = linkInserts(db, transact, options)
  const steps = linkSteps(inserts, announce, countUsage)
  // Compiled once: every redirect miss and most API requests run one of them.
  const targets = compileTargets(db)
  const linksByAddress = compileLinksByAddress(db)
  const linksByReuseKey = compileLinksByReuseKey(db)
  const globalHashes = compileGlobalHashes(db)

  return {
    ...linkChanges(transact, steps),
    ...linkBatches(transact, { ...options, inserts, steps }),
    ...sqlKeywords(db, transact, announce, countUsage),
    ...sqlLinkLists(db, transact, options.position),
    ...sqlLongUrls(db),
    ...sqlLinkHistory(db, transact),

    findOrInsert: inserts.findOrInsert,

    async globalHash(longUrl, domain, at, newHash) {
      // A global hash never changes: only the first call needs a transaction.
      const { rows } = await db.executeQuery(withValues(globalHashes, [longUrlKey(longUrl)]))
      return rows[0]?.address ?? transact((tx) => inserts.globalHash(tx, { longUrl, domain, at, newHash }))
    },

    async findByLongUrl(groupGuid, domain, longUrl) {
      const key = reuseKey(groupGuid, domain, longUrlKey(longUrl))
      const { rows } = await db.executeQuery(withValues(linksByReuseKey, [key, longUrl]))
      return rows[0] && linkFrom(rows[0])
    },

    async get(address) {
      const { rows } = await db.executeQuery(withValues(linksByAddress, [address]))
      return rows[0] && linkFrom(rows[0])
    },

    async withIds(ids) {
      const found: Link[] = []
      for (const some of chunks(ids, idsPerRead)) {
        const rows = await selectLinks(db).where('links.id', 'in', some).execute()
        found.push(...rows.map(linkFrom))
      }
      return found
    },

    async target(address) {
      const { rows } = await options.lookup(withValues(targets, [address]))
      return rows[0] && targetFrom(rows[0])
    },
  }
}

const idsPerRead = 500

function withValues<Row>(query: CompiledQuery<Row>, parameters: readonly unknown[]): CompiledQuery<Row> {
  return { ...query, parameters }
}

// The values in these queries are placeholders, which withValues replaces.

function compileLinksByAddress(db: Kysely<Schema>): CompiledQuery<LinkRow> {
  return selectLinks(db)
    .innerJoin('addresses as used', 'used.link_id', 'links.id')
    .where('used.address', '=', 'address')
    .compile()
}

function compileLinksByReuseKey(db: Kysely<Schema>): CompiledQuery<LinkRow> {
  return selectLinks(db).where('links.reuse_key', '=', 'key').where('links.long_url', '=', 'longUrl').compile()
}

function compileGlobalHashes(db: Kysely<Schema>): CompiledQuery<{ address: string }> {
  return db.selectFrom('global_links').select('address').where('long_url_key', '=', 'key').compile()
}

const targetColumns = partOf('links', targetFields)

/** Addresses with where they lead: to a link, or of a global hash to its long URL. */
export function addressesWithLinks(db: Kysely<Schema>) {
  return db
    .selectFrom('addresses')
    .leftJoin('links', 'links.id', 'addresses.link_id')
    .leftJoin('global_links', 'global_links.long_url_key', 'addresses.long_url_key')
}

function compileTargets(db: Kysely<Schema>): CompiledQuery<TargetRow> {
  return addressesWithLinks(db)
    .select(({ fn }) => [
      'addresses.address',
      'addresses.link_id',
      'links.group_guid',
      fn.coalesce('links.long_url', 'global_links.long_url').as('long_url'),
      fn.coalesce('links.created_at', 'addresses.created_at').as('created_at'),
      ...targetColumns.names.map((name) => `links.${name}` as const),
      'links.deleted_at',
      'links.dynamic_routing',
      'links.site_guid',
      deeplinksOfTarget.as('deeplinks'),
    ])
    .where('addresses.address', '=', 'address')
    .compile()
}

interface TargetRow {
  readonly address: string
  readonly link_id: string | null
  readonly group_guid: string | null
  readonly long_url: string | null
  readonly created_at: number
  readonly deleted_at: number | null
  readonly dynamic_routing: string | null
  readonly deeplinks: string | null
  readonly site_guid: string | null
}

function targetFrom(row: TargetRow): Target {
  if (row.long_url === null) throw new Error(`the address ${row.address} leads to a link that does not exist`)
  return {
    address: row.address,
    linkId: row.link_id ?? undefined,
    groupGuid: row.group_guid ?? undefined,
    longUrl: row.long_url,
    createdAt: row.created_at,
    ...targetColumns.fields(row),
    deletedAt: row.deleted_at ?? undefined,
    rules: rulesFrom(row),
  }
}

function rulesFrom({ link_id, deeplinks, dynamic_routing, site_guid }: TargetRow): TargetRules | undefined {
  if (deeplinks === null && dynamic_routing === null && site_guid === null) return undefined
  return {
    site: site_guid ?? undefined,
    deeplinks: deeplinksFrom(link_id ?? '', deeplinks),
    routing: routingFrom(dynamic_routing),
  }
}
