/** The fields of a link that its owners set: what they are, and the rules for what callers send. */
import { isLonger } from '../../lib/is-longer.js'
import { isKeyword } from '../values/address.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import { parseTimestamp } from '../values/time.js'

/** Fields of one value. A new one also needs a column, and its words on the wire (edges/v4/schemas/link-fields.ts). */
export interface LinkValues {
  readonly title: string | undefined
  readonly expiresAt: number | undefined
  readonly note: string | undefined
  /** Hides title and creator outside its group, and the creator inside it, in lookups of v3. */
  readonly private: boolean
  /** Passes the query of a visit on to the destination. */
  readonly forwardQuery: boolean
  /** A creation time set by its owners, for links that they moved here from another service. */
  readonly userTs: number | undefined
}

/** What a link has of them at first. */
export const plainValues: LinkValues = {
  title: undefined,
  expiresAt: undefined,
  note: undefined,
  private: false,
  forwardQuery: false,
  userTs: undefined,
}

/** Those that redirects need. */
export const targetFields = ['expiresAt', 'forwardQuery'] as const satisfies readonly FieldName[]

export type TargetValues = Partial<Pick<LinkValues, (typeof targetFields)[number]>>

/** The same as callers send them. An empty text removes the value. */
export interface LinkInput {
  readonly title?: string | undefined
  readonly expiresAt?: string | undefined
  readonly note?: string | undefined
  readonly private?: boolean | undefined
  readonly forwardQuery?: boolean | undefined
  /** Epoch seconds; null removes it. */
  readonly userTs?: number | null | undefined
}

type FieldName = keyof LinkValues

interface LinkField<Name extends FieldName> {
  /** Its column in tables of users. */
  readonly column?: string
  /** Checks what was sent. */
  readonly read: (sent: NonNullable<LinkInput[Name]>, now: number) => LinkValues[Name]
  /** From a cell of a table; by default the text. */
  readonly cell?: (text: string) => NonNullable<LinkInput[Name]>
}

const linkFields: { readonly [Name in FieldName]: LinkField<Name> } = {
  title: { column: 'title', read: readTitle },
  expiresAt: { column: 'expiration_at', read: readExpiry },
  note: { column: 'note', read: readNote },
  private: { column: 'private', read: (sent) => sent, cell: isTrue },
  forwardQuery: { column: 'forward_query', read: (sent) => sent, cell: isTrue },
  userTs: { read: readUserTs },
}

export const linkFieldNames = Object.keys(plainValues) as readonly FieldName[]

/** Values to set. Missing ones stay as they are, and null removes one. */
export type LinkValueChange = {
  readonly [Name in FieldName]?: LinkValues[Name] | (undefined extends LinkValues[Name] ? null : undefined)
}

/** Checks what was sent. */
export function readLinkFields(input: LinkInput, now: number): LinkValueChange {
  const change: Record<string, unknown> = {}
  for (const name of linkFieldNames) {
    const read = linkFields[name].read as (sent: unknown, now: number) => unknown
    const sent = input[name]
    if (sent !== undefined) change[name] = sent === null ? null : (read(sent, now) ?? null)
  }
  return change
}

/** From a row of a table. `text` tells the text of a column, and undefined for an empty cell. */
export function linkInputIn(text: (column: string) => string | undefined): LinkInput {
  const input: Record<string, unknown> = {}
  for (const name of linkFieldNames) {
    const { column, cell = (same: string) => same } = linkFields[name]
    const found = column === undefined ? undefined : text(column)
    if (found !== undefined) input[name] = cell(found)
  }
  return input
}

export function isTrue(cell: string): boolean {
  return /^(?:true|yes|1)$/i.test(cell)
}

// Longer than real page titles.
export const maxTitleLength = 2048

/** Undefined for a blank title, which means none. */
export function readTitle(title: string): string | undefined {
  if (isLonger(title, maxTitleLength) || /[\p{Cc}\p{Cs}]/u.test(title)) {
    const message = `A title must have at most ${maxTitleLength} characters, no control characters and no line breaks.`
    throw invalid('title', message)
  }
  return title.trim() === '' ? undefined : title
}

// As long as a title; line breaks are allowed.
export const maxNoteLength = 2048

/** Undefined for a blank note, which means none. */
function readNote(note: string): string | undefined {
  if (isLonger(note, maxNoteLength) || /[\p{Cc}\p{Cs}]/u.test(note.replace(/[\r\n\t]/g, ' '))) {
    const message = `A note must have at most ${maxNoteLength} characters and no control characters other than line breaks.`
    throw invalid('note', message)
  }
  return note.trim() === '' ? undefined : note
}

/** Converts the caller's epoch seconds to milliseconds. */
function readUserTs(seconds: number): number {
  // From 1970 to 9999, like all other times in the API.
  if (!Number.isInteger(seconds) || seconds < 0 || seconds * 1000 >= Date.UTC(10_000, 0)) {
    throw invalid('userTs', 'Send the time as whole seconds since 1970.')
  }
  return seconds * 1000
}

const fiveMinutes = 5 * 60_000

/** At least five minutes and at most one year from now; empty means none (docs/api/links.md#expiry). */
export function readExpiry(text: string, now: number): number | undefined {
  if (text === '') return undefined
  const at = parseTimestamp(text)?.at
  if (at === undefined) throw badExpiry('The expiry must look like 2026-01-31T23:59:59+0000.')
  // Timestamps have whole seconds and the clock has milliseconds: round down, so that exactly five minutes pass.
  const second = now - (now % 1000)
  if (at < second + fiveMinutes) throw badExpiry('The expiry must be at least five minutes from now.')
  if (at > oneYearAfter(second)) throw badExpiry('The expiry must be at most one year from now.')
  return at
}

function oneYearAfter(at: number): number {
  const date = new Date(at)
  return date.setUTCFullYear(date.getUTCFullYear() + 1)
}

function badExpiry(message: string): Refusal {
  return invalid('expirationAt', message)
}

/** Refuses malformed and reserved keywords. */
export function readKeyword(text: string, field = 'keyword'): string {
  if (isKeyword(text)) return text
  const message =
    `${quoted(text)} is not a valid back-half. Use 1 to 50 letters, digits, "-" and "_"; ` +
    'names that the service itself uses are reserved.'
  throw new Refusal('INVALID_ARG_SHORTLINK', message, { resource: 'shortlinks', field })
}
