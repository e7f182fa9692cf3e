/** An entry of the history in words. */
import type { components } from '../../api/schema.js'
import type { ShortLink } from '../../api/types.js'
import { formatMoment } from '../../parts/format.js'
import { historyTexts } from '../../texts/history.js'
import { preferredLanguage, texts } from '../../texts/texts.js'

export type Entry = components['schemas']['HistoryEntry']

type Fields = Entry['before']

export type FieldName = keyof Fields & keyof typeof historyTexts.fields

const list = new Intl.ListFormat(preferredLanguage())

/** In the order of the texts. */
export function changedNames({ after }: Entry): readonly FieldName[] {
  return (Object.keys(historyTexts.fields) as FieldName[]).filter((name) => name in after)
}

export function sentenceOf(entry: Entry, who: string): string {
  const names = changedNames(entry)
  const { archived, restored, changed, fields } = historyTexts
  if (names.length === 1 && names[0] === 'archived') return entry.after.archived ? archived(who) : restored(who)
  return changed(who, list.format(names.map((name) => fields[name])))
}

/** The name of the field in forms, for entries with several. */
export function labelOf(name: FieldName): string {
  const { create, links, link } = texts
  const labels: Readonly<Record<FieldName, string>> = {
    long_url: create.destination,
    title: create.title,
    archived: links.isArchived,
    tags: links.filters.tags,
    expiration_at: link.expires,
    deeplinks: create.extras.apps,
    dynamic_routing: create.extras.routing,
    private: create.switches.private.label,
    forward_query: create.switches.forward_query.label,
    ...historyTexts.labels,
  }
  return labels[name]
}

interface ShownValue {
  readonly short: string
  /** For a tooltip, where `short` is not all of it. */
  readonly whole?: string
}

export function shownValue(name: FieldName, fields: Fields): ShownValue {
  const value = fields[name]
  const { none, never, on, off, apps, rules } = historyTexts
  if (typeof value === 'boolean') return { short: value ? on : off }
  if (Array.isArray(value)) {
    if (value.length === 0) return { short: none }
    return { short: name === 'deeplinks' ? apps(value.length) : rules(value.length) }
  }
  if (!value) return { short: name === 'expiration_at' ? never : none }
  if (name === 'expiration_at' || name === 'user_ts') return { short: formatMoment(value) }
  const text = value.replace(/^https?:\/\//, '')
  return text.length > longest ? { short: elided(text), whole: value } : { short: text }
}

// Two lines on a small phone.
const longest = 56

/** Both ends say more than the beginning alone: the host, and what differs at the end. */
function elided(text: string): string {
  return `${text.slice(0, longest / 2 - 1)}…${text.slice(-longest / 2)}`
}

/** Whether undoing it would change nothing, as far as the link tells. */
export function isUndone(link: ShortLink, { before }: Entry): boolean {
  const { dynamic_routing = [], title = '', expiration_at = '', deeplinks, ...others } = link
  const now: Readonly<Record<string, unknown>> = { ...others, dynamic_routing, title, expiration_at, deeplinks }
  return Object.entries(before).every(([name, value]) => JSON.stringify(value) === JSON.stringify(now[name]))
}
