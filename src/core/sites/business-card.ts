/** A business card of a page as a vCard 3.0 (RFC 2426), which phones of every age read. */
import { escaped, line, lines, textLine } from '../qr-contents/content-lines.js'
import type { CardContent, Contact } from './site.js'
import type { VisibleContact } from './visible.js'

/** First and last name, or else the company or the title; empty without any. */
export function nameOf({ firstName = '', lastName = '', company = '', title = '' }: CardContent): string {
  return [firstName, lastName].map(oneLine).filter(Boolean).join(' ') || oneLine(company) || oneLine(title)
}

/** The file of its owner, or else one of its fields. `page`: its URL, where the card can be found again. */
export function businessCard(content: CardContent, contacts: readonly VisibleContact[], page: string): string {
  if (content.file) return content.file.text
  const { firstName = '', lastName = '', company = '', jobTitle = '', pronouns = '' } = content
  const text = (name: string, value: string) => textLine(name, oneLine(value) || undefined)
  return lines(
    ['BEGIN:VCARD', 'VERSION:3.0'],
    line('N', `${escaped(oneLine(lastName))};${escaped(oneLine(firstName))};;;`),
    text('FN', nameOf(content)),
    text('ORG', company),
    text('TITLE', jobTitle),
    // Version 3.0 has no property for them; this one is widely read.
    text('X-PRONOUNS', pronouns),
    ...contacts.map(contactLine),
    text('SOURCE', page),
    ['END:VCARD'],
  )
}

function contactLine({ method, label, value, target }: VisibleContact): readonly string[] {
  const given = value.trim()
  if (given === '') return []
  const type = types[label] === undefined ? '' : `;TYPE=${types[label]}`
  switch (method) {
    case 'email':
      return textLine(`EMAIL${type}`, oneLine(given))
    case 'phone':
      return textLine(`TEL${type}`, oneLine(given))
    case 'website':
      // A URI is not escaped.
      return line(`URL${type}`, oneLine(target?.longUrl ?? given))
    case 'location':
      return line(`ADR${type}`, `;;${escaped(given)};;;;`)
    case 'note':
      return textLine('NOTE', given)
  }
}

/** Of labels that vCards know. */
const types: Readonly<Partial<Record<Contact['label'], string>>> = {
  work: 'WORK',
  office: 'WORK',
  company: 'WORK',
  direct: 'WORK',
  main: 'PREF',
  personal: 'HOME',
  home: 'HOME',
  mobile: 'CELL',
  fax: 'FAX',
}

/** A line break would begin another property. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
