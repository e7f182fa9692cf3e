/** The history of a link: who changed what and when, and undoing a change (docs/api/links.md#history). */
import type { Actor } from '../accounts/actor.js'
import { cursorOf, positionIn } from '../values/cursor.js'
import { isGuid } from '../values/guid.js'
import { Refusal } from '../values/refusal.js'
import { timestamp } from '../values/time.js'
import { type FieldsOfChange, type HistoryEntry, isSame, pick, stateNames, stateOf } from './history-entry.js'
import type { Link } from './link.js'
import type { LinkStore } from './link-store.js'
import { type UpdateDeps, type UpdateInput, updateLink } from './update.js'

export interface HistoryDeps {
  readonly links: Pick<LinkStore, 'history' | 'historyEntry'>
}

export interface HistoryInput {
  readonly size: number
  /** `searchAfter` of the previous page. */
  readonly searchAfter: string | undefined
}

export interface HistoryPage {
  readonly entries: readonly HistoryEntry[]
  readonly searchAfter: string | undefined
}

/** `link` comes from `readLink`. */
export async function readHistory(deps: HistoryDeps, link: Link, input: HistoryInput): Promise<HistoryPage> {
  const { size, searchAfter } = input
  const after = searchAfter === undefined ? undefined : positionIn(searchAfter, 'shortlinks').at
  const found = await deps.links.history(link.id, { after, size: size + 1 })
  const entries = found.slice(0, size)
  const last = found.length > size ? entries.at(-1) : undefined
  return { entries, searchAfter: last && cursorOf({ at: last.number, id: last.guid }) }
}

export type RestoreDeps = Omit<UpdateDeps, 'links'> & { readonly links: UpdateDeps['links'] & HistoryDeps['links'] }

/**
 * Gives the fields of a change the values from before it, by the rules of any other change. Later changes of other fields
 * stay. `link` comes from `writableLink`.
 */
export async function restoreLink(deps: RestoreDeps, actor: Actor, link: Link, guid: string): Promise<Link> {
  const entry = isGuid(guid) ? await deps.links.historyEntry(link.id, guid) : undefined
  if (!entry) {
    const message = 'The history of this short link has no such entry.'
    throw new Refusal('NOT_FOUND', message, { resource: 'shortlinks', field: 'guid' })
  }
  const current = stateOf(link)
  const names = stateNames.filter((name) => name in entry.before && !isSame(current[name], entry.before[name]))
  return updateLink(deps, actor, link, inputFrom(pick(entry.before, names)))
}

/** As a caller would send them. */
function inputFrom(fields: FieldsOfChange): UpdateInput {
  const { expiresAt, userTs, routing, ...others } = fields
  const input: Record<string, unknown> = { ...others, dynamicRouting: routing ?? undefined }
  // An empty text removes a value.
  if (others.title === null) input.title = ''
  if (others.note === null) input.note = ''
  if (expiresAt !== undefined) input.expiresAt = expiresAt === null ? '' : timestamp(expiresAt)
  if (userTs !== undefined) input.userTs = userTs === null ? null : userTs / 1000
  return input
}
