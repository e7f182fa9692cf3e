/**
 * Creates many links at once, each by the same rules as one (core/links/create.ts). What all of them need is looked up
 * once; the store writes them in few statements; a row that is refused costs no other (docs/api/bulk.md#shorten).
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Actor, requireWriter } from '../accounts/actor.js'
import { type CheckedLink, type CreateDeps, type CreateInput, notCreated, readNewLink } from '../links/create.js'
import type { Link } from '../links/link.js'
import type { LinkStore } from '../links/link-store.js'
import { isOutage, quoted, Refusal } from '../values/refusal.js'
import { SharedChecks } from './shared-checks.js'

export interface CreateLinksDeps extends CreateDeps {
  readonly links: CreateDeps['links'] & Pick<LinkStore, 'createAll'>
}

export interface NewLinkRow extends CreateInput {
  /** The caller's default group by default. */
  readonly groupGuid?: string | undefined
}

export interface CreateLinksOptions {
  /** A row whose back-half is taken is refused. Otherwise its link gets a random back-half, and a note. */
  readonly strict: boolean
}

export type RowResult = CreatedRow | { readonly refusal: Refusal }

interface CreatedRow {
  readonly link: Link
  readonly created: boolean
  /** What is different from what was asked for, or wrong with the domain. */
  readonly note: string | undefined
}

/** A few milliseconds of work: then other requests have their turn. */
const rowsPerTurn = 100

/** One result for each row, in order. Rows that were refused before they came here pass through. */
export async function createLinks(
  deps: CreateLinksDeps,
  actor: Actor,
  rows: readonly (NewLinkRow | Refusal)[],
  { strict }: CreateLinksOptions,
): Promise<readonly RowResult[]> {
  const checks = new SharedChecks(deps)
  const results: RowResult[] = []
  const open: OpenRow[] = []
  for (const [at, row] of rows.entries()) {
    if (at > 0 && at % rowsPerTurn === 0) await nextTurn()
    try {
      if (row instanceof Refusal) throw row
      open.push(await checkRow(deps, actor, checks, row, at))
    } catch (error) {
      results[at] = { refusal: refusalOfRow(error) }
    }
  }
  // From here on nothing but the records is waited for: with an Idempotency-Key, all of this is one transaction.
  const taken = await createOpen(deps, open, results, strict)
  if (taken.length > 0) await createOpen(deps, await withoutKeywords(deps, actor, taken), results, true)
  return results
}

interface OpenRow extends CheckedLink {
  readonly at: number
  readonly row: NewLinkRow
  readonly note: string | undefined
}

async function checkRow(
  deps: CreateLinksDeps,
  actor: Actor,
  checks: SharedChecks,
  row: NewLinkRow,
  at: number,
): Promise<OpenRow> {
  const group = requireWriter(actor, row.groupGuid ?? actor.defaultGroupGuid)
  const link = await readNewLink(deps, actor, group, row)
  const { domain, draft, details } = link
  if (deps.plans.limitsOf(group.organizationGuid)) await checks.requireRoom(link)
  const note = domain.branded ? await checks.requireDns(domain) : undefined
  return { at, row, domain, draft, details, note }
}

async function withoutKeywords(deps: CreateLinksDeps, actor: Actor, taken: readonly OpenRow[]): Promise<OpenRow[]> {
  const open: OpenRow[] = []
  for (const { at, row, draft } of taken) {
    const group = requireWriter(actor, draft.groupGuid)
    const link = await readNewLink(deps, actor, group, { ...row, keyword: undefined })
    const note = `The back-half ${quoted(row.keyword ?? '')} is taken, so this link has a random one.`
    open.push({ at, row, note, ...link })
  }
  return open
}

/** Returns the rows whose keyword is taken, unless that is an error. */
async function createOpen(
  deps: CreateLinksDeps,
  open: readonly OpenRow[],
  results: RowResult[],
  strict: boolean,
): Promise<readonly OpenRow[]> {
  const created = await deps.links.createAll(open, deps.newHash)
  const taken: OpenRow[] = []
  for (const [index, row] of open.entries()) {
    const { at, domain, draft, details, note } = row
    const result = created[index]
    if (!result) throw new Error('creating links returned too few results')
    if (result.outcome === 'done') {
      results[at] = { link: result.link, created: result.created, note }
      // An earlier visit may have cached that this address does not exist.
      if (details?.keyword !== undefined) deps.redirectCache.forget(details.keyword)
      if (result.created) deps.titles.enqueue(result.link)
    } else if (result.outcome === 'taken' && !strict) taken.push(row)
    else results[at] = { refusal: result.outcome === 'refused' ? result.refusal : notCreated(domain, draft, result) }
  }
  return taken
}

/** An outage is no result of a row. */
function refusalOfRow(error: unknown): Refusal {
  if (error instanceof Refusal && !isOutage(error)) return error
  throw error
}
