/** One change of a link in its history. */
import type { DeeplinkDraft } from './deeplink.js'
import type { Link } from './link.js'
import { type LinkValues, linkFieldNames } from './link-fields.js'

/** What owners change. */
export interface LinkState extends LinkValues, Pick<Link, 'longUrl' | 'archived' | 'tags' | 'routing'> {
  readonly deeplinks: readonly DeeplinkDraft[]
}

/** Those of its fields that a change is about. Null: no value. */
export type FieldsOfChange = { readonly [Name in keyof LinkState]?: LinkState[Name] | null }

export interface ChangedFields {
  readonly before: FieldsOfChange
  readonly after: FieldsOfChange
}

/** One change. Creation is none: the link itself says who created it. */
export interface HistoryEntry extends ChangedFields {
  readonly guid: string
  /** Counts the changes of a link: times of racing changes may be equal, or in another order. */
  readonly number: number
  readonly login: string
  /** The application that was used, if any. */
  readonly clientId: string | undefined
  readonly createdAt: number
}

export const stateNames = [...linkFieldNames, 'longUrl', 'archived', 'tags', 'deeplinks', 'routing'] as const

/** Undefined if the link is as it was before. */
export function changedFields(before: Link, after: Link): ChangedFields | undefined {
  const [old, current] = [stateOf(before), stateOf(after)]
  const names = stateNames.filter((name) => !isSame(old[name], current[name]))
  return names.length === 0 ? undefined : { before: pick(old, names), after: pick(current, names) }
}

export function stateOf(link: Link): LinkState {
  // Not when they were made, which is no choice of anybody.
  const deeplinks = link.deeplinks.map(({ linkId, createdAt, modifiedAt, ...draft }) => draft)
  return { ...link, deeplinks }
}

export function pick(state: FieldsOfChange, names: readonly (keyof LinkState)[]): FieldsOfChange {
  return Object.fromEntries(names.map((name) => [name, state[name] ?? null]))
}

/** Lists and rules have a fixed order of fields, so equal ones have equal JSON. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
}
