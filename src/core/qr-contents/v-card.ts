/** A contact as a vCard 3.0 (RFC 2426), which phones of every age read. */
import { invalid } from '../values/refusal.js'
import { escaped, line, lines, textLine } from './content-lines.js'
import { readEmail, readLine, readNote, readPhone, readUrl } from './fields.js'

export interface VCard {
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  readonly organization?: string | undefined
  readonly jobTitle?: string | undefined
  readonly mobile?: string | undefined
  readonly workPhone?: string | undefined
  readonly homePhone?: string | undefined
  readonly fax?: string | undefined
  readonly email?: string | undefined
  readonly url?: string | undefined
  readonly address?: PostalAddress | undefined
  readonly note?: string | undefined
}

interface PostalAddress {
  readonly street?: string | undefined
  readonly city?: string | undefined
  readonly region?: string | undefined
  readonly postalCode?: string | undefined
  readonly country?: string | undefined
}

export function vCardText(card: VCard): string {
  const [firstName, lastName, organization, jobTitle] = (
    ['firstName', 'lastName', 'organization', 'jobTitle'] as const
  ).map((field) => readLine(card[field], `content.vCard.${field}`))
  const shown = [firstName, lastName].filter((name) => name !== undefined).join(' ') || organization
  if (shown === undefined) {
    throw invalid('content.vCard', 'A contact needs a name. Send first_name, last_name or organization.')
  }
  return lines(
    ['BEGIN:VCARD', 'VERSION:3.0'],
    line('N', `${structured([lastName, firstName])};;;`),
    textLine('FN', shown),
    textLine('ORG', organization),
    textLine('TITLE', jobTitle),
    line('TEL;TYPE=CELL', phone(card, 'mobile')),
    line('TEL;TYPE=WORK', phone(card, 'workPhone')),
    line('TEL;TYPE=HOME', phone(card, 'homePhone')),
    line('TEL;TYPE=FAX', phone(card, 'fax')),
    textLine('EMAIL', card.email === undefined ? undefined : readEmail(card.email, 'content.vCard.email')),
    // A URI is not escaped.
    line('URL', card.url === undefined ? undefined : readUrl(card.url, 'content.vCard.url')),
    line('ADR', postalAddress(card.address)),
    textLine('NOTE', readNote(card.note, 'content.vCard.note')),
    ['END:VCARD'],
  )
}

function phone(card: VCard, field: 'mobile' | 'workPhone' | 'homePhone' | 'fax'): string | undefined {
  const number = card[field]
  return number === undefined ? undefined : readPhone(number, `content.vCard.${field}`)
}

function postalAddress(address: PostalAddress = {}): string | undefined {
  const parts = (['street', 'city', 'region', 'postalCode', 'country'] as const).map((field) =>
    readLine(address[field], `content.vCard.address.${field}`),
  )
  // Post-office box and second line, which nobody fills in, come first.
  return parts.some((part) => part !== undefined) ? `;;${structured(parts)}` : undefined
}

function structured(parts: readonly (string | undefined)[]): string {
  return parts.map((part) => escaped(part ?? '')).join(';')
}
