/**
 * Many new links in one transaction of few statements. If one of them cannot be created, the transaction is undone and each
 * half is tried again, down to a single link, which is created as alone. So the common case is fast, and the rules are the
 * same for one link and for many.
 */
import type { Transaction } from 'kysely'
import type { LinkDetails } from '../../../core/links/link.js'
import type { Created, CreatedOrRefused, LinkStore, NewLinkInput } from '../../../core/links/link-store.js'
import type { DrawHash } from '../../../core/values/random.js'
import { Refusal } from '../../../core/values/refusal.js'
import { chunks } from '../../../lib/chunks.js'
import type { Announce } from '../database/announce.js'
import type { Schema } from '../database/schema.js'
import type { Transact } from '../database/transact.js'
import { type Undo, undoable } from '../database/undoable.js'
import { type CountUsage, type UsageLimits, usesOf } from '../usage/count-usage.js'
import { type InsertLinks, inputFor, type LinkInsert } from './insert-links.js'
import { holdersOf, insertNewKeywords } from './write-keywords.js'
import { type LinkSteps, refresh } from './write-links.js'
import { linkTags } from './write-tags.js'

interface BatchParts {
  readonly inserts: InsertLinks
  readonly steps: LinkSteps
  readonly announce: Announce
  readonly countUsage: CountUsage
  readonly usageLimits: UsageLimits
}

// SQLite writes this many in about two milliseconds, and yields to the event loop between statements.
const rowsPerStatement = 100

export function linkBatches(
  transact: Transact,
  { inserts, steps, announce, countUsage, usageLimits }: BatchParts,
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
    const results = new Map<NewLinkInput, CreatedOrRefused>(await takenAmong(tx, inputs))
    const free = inputs.flatMap((input): readonly Row[] =>
      results.has(input) ? [] : [{ input, row: inputFor(input.draft, newHash, input.details) }],
    )
    const refusals = await refusedAmong(tx, free)
    for (const [input, refusal] of refusals) results.set(input, { outcome: 'refused', refusal })
    const rows = refusals.size === 0 ? free : free.filter(({ input }) => !refusals.has(input))
    // By key, so racing transactions lock in the same order.
    rows.sort(({ row: one }, { row: other }) => compare(one.reuseKey, other.reuseKey))
    for (const some of chunks(rows, rowsPerStatement)) {
      const shortened = await inserts.links(
        tx,
        some.map(({ row }) => row),
      )
      for (const [at, { input }] of some.entries()) {
        const one = shortened[at]
        if (!one) throw new Error('inserting links returned too few results')
        results.set(input, { outcome: 'done', ...one })
      }
    }
    const created = inputs.flatMap((input) => {
      const result = results.get(input)
      return result?.outcome === 'done' && result.created ? [{ ...input, link: result.link }] : []
    })
    for (const items of byGroup(created)) {
      const tagged = items.flatMap(({ link }) => (link.tags.length === 0 ? [] : [link]))
      if (tagged.length > 0 && (await linkTags.setEach(tx, tagged)) !== 'held') return undo(undefined)
    }
    const keywords = created.flatMap(({ link, details, draft }) =>
      details?.keyword === undefined
        ? []
        : [
            {
              address: details.keyword,
              linkId: link.id,
              groupGuid: link.groupGuid,
              longUrl: link.longUrl,
              context: { login: draft.createdBy, at: draft.at },
            },
          ],
    )
    if (keywords.length > 0) {
      keywords.sort((one, other) => compare(one.address, other.address))
      await insertNewKeywords(tx, keywords)
      await announce(
        tx,
        keywords.map(({ address }) => address),
      )
    }
    for (const input of inputs) {
      const result = results.get(input)
      if (result?.outcome !== 'done' || result.created || !input.details || input.draft.keepExisting) continue
      const refreshed = await refresh(tx, result.link, input.details, input.draft.at)
      if (refreshed.outcome !== 'done') return undo(undefined)
      results.set(input, refreshed)
    }
    await countUsage(
      tx,
      created.flatMap(({ draft, details }) => usesOf(draft, details)),
    )
    return inputs.map((input) => results.get(input) ?? missing())
  }

  /** Those beyond a monthly limit, which is locked until the end of the transaction. Existing links spend nothing. */
  async function refusedAmong(
    tx: Transaction<Schema>,
    rows: readonly Row[],
  ): Promise<ReadonlyMap<NewLinkInput, Refusal>> {
    const limited = rows.filter(({ input: { draft } }) => usageLimits.apply(draft.organizationGuid))
    const refused = new Map<NewLinkInput, Refusal>()
    if (limited.length === 0) return refused
    const known = await knownAmong(tx, limited)
    const fresh = limited.filter(({ row: { reuseKey } }) => {
      if (reuseKey === null) return true
      if (known.has(reuseKey)) return false
      known.add(reuseKey)
      return true
    })
    const refusals = await usageLimits.refuse(
      tx,
      fresh.map(({ input }) => usesOf(input.draft, input.details)),
    )
    const refusedKeys = new Map<string | null, Refusal>()
    for (const [at, { input, row }] of fresh.entries()) {
      const refusal = refusals[at]
      if (!refusal) continue
      refused.set(input, refusal)
      if (row.reuseKey !== null) refusedKeys.set(row.reuseKey, refusal)
    }
    // Further rows with the same long URL would have been the same link.
    for (const { input, row } of limited) {
      const refusal = refusedKeys.get(row.reuseKey)
      if (refusal) refused.set(input, refusal)
    }
    return refused
  }

  return { createAll }
}

/** The keys of existing links. */
async function knownAmong(tx: Transaction<Schema>, rows: readonly Row[]): Promise<Set<string>> {
  const keys = rows.flatMap(({ row: { reuseKey } }) => (reuseKey === null ? [] : [reuseKey]))
  const known = new Set<string>()
  for (const some of chunks(keys, rowsPerStatement)) {
    const found = await tx.selectFrom('links').select('reuse_key').where('reuse_key', 'in', some).execute()
    for (const { reuse_key } of found) if (reuse_key !== null) known.add(reuse_key)
  }
  return known
}

interface Row {
  readonly input: NewLinkInput
  readonly row: LinkInsert
}

/** Deep links and routing rules are rare: such links are created alone. */
function fitsBatch({ details }: NewLinkInput): boolean {
  return !details || details.deeplinks.length + details.routing.length === 0
}

const noDetails: LinkDetails = {
  title: undefined,
  tags: [],
  expiresAt: undefined,
  deeplinks: [],
  routing: [],
  keyword: undefined,
}

/** A limit that is reached, but not an outage, which all links would meet. */
function isOfOneLink(error: unknown): error is Refusal {
  return error instanceof Refusal && error.code !== 'TEMPORARILY_UNAVAILABLE'
}

/** The links whose keyword another link has, or an earlier one of these. */
async function takenAmong(
  tx: Transaction<Schema>,
  inputs: readonly NewLinkInput[],
): Promise<readonly (readonly [NewLinkInput, Created])[]> {
  const wanted = inputs.filter(({ details }) => details?.keyword !== undefined)
  if (wanted.length === 0) return []
  const holders = new Map(
    await holdersOf(
      tx,
      wanted.map(({ details }) => details?.keyword ?? ''),
    ),
  )
  return wanted.flatMap((input) => {
    const keyword = input.details?.keyword ?? ''
    const holder = holders.get(keyword)
    if (holder) return [[input, { outcome: 'taken', holder }] as const]
    holders.set(keyword, { groupGuid: input.draft.groupGuid })
    return []
  })
}

/** Sorted, so racing transactions lock in the same order. */
function byGroup<Item extends NewLinkInput>(items: readonly Item[]): readonly (readonly Item[])[] {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const { groupGuid } = item.draft
    const group = groups.get(groupGuid)
    if (group) group.push(item)
    else groups.set(groupGuid, [item])
  }
  return [...groups].sort(([one], [other]) => compare(one, other)).map(([, group]) => group)
}

function compare(one: string | null, other: string | null): number {
  const [first, second] = [one ?? '', other ?? '']
  return first < second ? -1 : first > second ? 1 : 0
}

function missing(): never {
  throw new Error('a link has no result')
}
