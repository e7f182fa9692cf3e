/**
 * Many new links in one transaction of few statements. If one of them cannot be created, the transaction is undone and each
 * half is tried again, down to a single link, which is created as alone. So the common case is fast, and the rules are the
 * same for one link and for many.
 */
import type { Transaction } from 'kysely'
import { type Link, noDetails } from '../../../core/links/link.js'
import type { Created, CreatedOrRefused, LinkStore, NewLinkInput } from '../../../core/links/link-store.js'
import type { DrawHash } from '../../../core/values/random.js'
import { isOutage, Refusal } from '../../../core/values/refusal.js'
import { chunks } from '../../../lib/chunks.js'
import type { Announce } from '../../sql/database/announce.js'
import type { Transact } from '../../sql/database/transact.js'
import { type Undo, undoable } from '../../sql/database/undoable.js'
import type { Schema } from '../../sql/tables/schema.js'
import { type CountUsage, type UsageLimits, usesOf } from '../usage/count-usage.js'
import { type InsertLinks, inputFor, type LinkInsert } from './insert-links.js'
import { holdersOf, insertNewKeywords } from './write-keywords.js'
import { contextOf, type LinkSteps, refresh } from './write-links.js'
import { linkTags } from './write-tags.js'

interface BatchParts {
  readonly inserts: InsertLinks
  readonly steps: LinkSteps
  readonly announce: Announce
  readonly countUsage: CountUsage
  readonly usageLimits: UsageLimits
  readonly readsJson?: boolean | undefined
}

// SQLite writes this many in about two milliseconds, and yields to the event loop between statements.
const rowsPerStatement = 100
const rowsPerJson = 1000

export function linkBatches(
  transact: Transact,
  { inserts, steps, announce, countUsage, usageLimits, readsJson = false }: BatchParts,
): Pick<LinkStore, 'createAll'> {
  async function createAll(inputs: readonly NewLinkInput[], newHash: DrawHash): Promise<readonly CreatedOrRefused[]> {
    const [first] = inputs
    if (!first) return []
    if (inputs.length === 1) return [await createAlone(first, newHash)]
    if (inputs.every(fitsBatch)) {
      const created = await together(inputs, newHash)
      if (created) return created
    }
    const middle = Math.ceil(inputs.length / 2)
    const before = await createAll(inputs.slice(0, middle), newHash)
    return [...before, ...(await createAll(inputs.slice(middle), newHash))]
  }

  async function createAlone({ draft, details }: NewLinkInput, newHash: DrawHash): Promise<CreatedOrRefused> {
    try {
      return await undoable(transact, (tx, undo: Undo<Created>) =>
        steps.create(tx, undo, draft, details ?? noDetails, newHash),
      )
    } catch (error) {
      if (isOfOneLink(error)) return { outcome: 'refused', refusal: error }
      throw error
    }
  }

  /** Undefined if one of the links must be refused. */
  async function together(
    inputs: readonly NewLinkInput[],
    newHash: DrawHash,
  ): Promise<readonly CreatedOrRefused[] | undefined> {
    try {
      return await undoable<readonly CreatedOrRefused[] | undefined>(transact, (tx, undo) =>
        createIn(tx, undo, inputs, newHash),
      )
    } catch (error) {
      if (isOfOneLink(error)) return undefined
      throw error
    }
  }

  async function createIn(
    tx: Transaction<Schema>,
    undo: Undo<readonly CreatedOrRefused[] | undefined>,
    inputs: readonly NewLinkInput[],
    newHash: DrawHash,
  ): Promise<readonly CreatedOrRefused[]> {
    const all = inputs.map(({ draft, details }): Row => {
      return { draft, details, insert: inputFor(draft, newHash, details), result: undefined }
    })
    await refuseTaken(tx, all)
    await refuseBeyondLimits(tx, all)
    const open = all.filter(({ result }) => !result)
    // By key, so racing transactions lock in the same order.
    open.sort(({ insert: one }, { insert: other }) => compare(one.reuseKey, other.reuseKey))
    const created: CreatedRow[] = []
    for (const some of chunks(open, readsJson ? rowsPerJson : rowsPerStatement)) {
      const shortened = await inserts.links(
        tx,
        some.map(({ insert }) => insert),
      )
      for (const [at, { link, created: isNew }] of shortened.entries()) {
        const row = some[at]
        if (!row) throw new Error('inserting links returned too many results')
        row.result = { outcome: 'done', link, created: isNew }
        if (isNew) created.push({ draft: row.draft, details: row.details, link })
      }
    }
    for (const links of taggedByGroup(created)) {
      if ((await linkTags.setEach(tx, links)) !== 'held') return undo(undefined)
    }
    await writeKeywords(tx, created)
    for (const row of all) {
      const { result, details, draft } = row
      if (result?.outcome !== 'done' || result.created || !details || draft.keepExisting) continue
      const refreshed = await refresh(tx, result.link, details, contextOf(draft))
      if (refreshed.outcome !== 'done') return undo(undefined)
      row.result = refreshed
    }
    await countUsage(
      tx,
      created.flatMap(({ draft, details }) => usesOf(draft, details)),
    )
    return all.map(({ result }) => result ?? missing())
  }

  async function writeKeywords(tx: Transaction<Schema>, created: readonly CreatedRow[]): Promise<void> {
    const keywords = created.flatMap(({ link: { id, groupGuid, longUrl }, details, draft }) => {
      if (details?.keyword === undefined) return []
      const context = { login: draft.createdBy, at: draft.at }
      return [{ address: details.keyword, linkId: id, groupGuid, longUrl, context }]
    })
    if (keywords.length === 0) return
    keywords.sort((one, other) => compare(one.address, other.address))
    await insertNewKeywords(tx, keywords)
    await announce(
      tx,
      keywords.map(({ address }) => address),
    )
  }

  /** Those beyond a monthly limit, which is locked until the end of the transaction. Existing links spend nothing. */
  async function refuseBeyondLimits(tx: Transaction<Schema>, rows: readonly Row[]): Promise<void> {
    const limited = rows.filter(({ draft, result }) => !result && usageLimits.apply(draft.organizationGuid))
    if (limited.length === 0) return
    const known = await knownAmong(tx, limited)
    const fresh = limited.filter(({ insert: { reuseKey } }) => {
      if (reuseKey === null) return true
      if (known.has(reuseKey)) return false
      known.add(reuseKey)
      return true
    })
    const refusals = await usageLimits.refuse(
      tx,
      fresh.map(({ draft, details }) => usesOf(draft, details)),
    )
    const refusedKeys = new Map<string, CreatedOrRefused>()
    for (const [at, row] of fresh.entries()) {
      const refusal = refusals[at]
      if (!refusal) continue
      row.result = { outcome: 'refused', refusal }
      if (row.insert.reuseKey !== null) refusedKeys.set(row.insert.reuseKey, row.result)
    }
    // Further rows with the same long URL would have been the same link.
    for (const row of limited) row.result ??= refusedKeys.get(row.insert.reuseKey ?? '')
  }

  return { createAll }
}

/** The keys of existing links. */
async function knownAmong(tx: Transaction<Schema>, rows: readonly Row[]): Promise<Set<string>> {
  const keys = rows.flatMap(({ insert: { reuseKey } }) => (reuseKey === null ? [] : [reuseKey]))
  const known = new Set<string>()
  for (const some of chunks(keys, rowsPerStatement)) {
    const found = await tx.selectFrom('links').select('reuse_key').where('reuse_key', 'in', some).execute()
    for (const { reuse_key } of found) if (reuse_key !== null) known.add(reuse_key)
  }
  return known
}

interface Row extends NewLinkInput {
  readonly insert: LinkInsert
  result: CreatedOrRefused | undefined
}

interface CreatedRow extends NewLinkInput {
  readonly link: Link
}

/** Deep links and routing rules are rare: such links are created alone. */
function fitsBatch({ details }: NewLinkInput): boolean {
  return !details || details.deeplinks.length + details.routing.length === 0
}

/** A limit that is reached, but not an outage, which all links would meet. */
function isOfOneLink(error: unknown): error is Refusal {
  return error instanceof Refusal && !isOutage(error)
}

/** Those whose keyword another link has, or an earlier one of these. */
async function refuseTaken(tx: Transaction<Schema>, rows: readonly Row[]): Promise<void> {
  const wanted = rows.flatMap((row) =>
    row.details?.keyword === undefined ? [] : [{ row, keyword: row.details.keyword }],
  )
  if (wanted.length === 0) return
  const keywords = wanted.map(({ keyword }) => keyword)
  const holders = new Map(await holdersOf(tx, keywords))
  for (const { row, keyword } of wanted) {
    const holder = holders.get(keyword)
    if (holder) row.result = { outcome: 'taken', holder }
    else holders.set(keyword, { groupGuid: row.draft.groupGuid })
  }
}

/** The links with tags, by group; sorted, so racing transactions lock in the same order. */
function taggedByGroup(created: readonly CreatedRow[]): readonly (readonly Link[])[] {
  const groups = new Map<string, Link[]>()
  for (const { link } of created) {
    if (link.tags.length === 0) continue
    const group = groups.get(link.groupGuid)
    if (group) group.push(link)
    else groups.set(link.groupGuid, [link])
  }
  return [...groups].sort(([one], [other]) => compare(one, other)).map(([, links]) => links)
}

function compare(one: string | null, other: string | null): number {
  return one === other ? 0 : (one ?? '') < (other ?? '') ? -1 : 1
}

function missing(): never {
  throw new Error('a link has no result')
}
