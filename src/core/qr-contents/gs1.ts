/**
 * GS1 Digital Link: the numbers of a product, a place or a shipment in a web address, which tills read as a barcode and phones
 * as a link (GS1 Digital Link standard, URI syntax). The values are verified: a wrong number on a package cannot be corrected.
 */
import { invalid, quoted, type Refusal } from '../values/refusal.js'
import { gtinKeys, type Identifier, identifiers, notAttributes, primaryKeys } from './gs1-identifiers.js'
import { percentEncoded } from './uris.js'

/** An application identifier, such as `01`, and its value. */
export interface Gs1Value {
  readonly key: string
  readonly value: string
}

export interface Gs1 {
  /** In the order of the link; GTINs have 14 digits. */
  readonly values: readonly Gs1Value[]
  /** What follows the address, such as `/01/09506000134352/10/ABC?17=271231`. Empty in codes of before values were verified. */
  readonly link: string
}

export const maxGs1Values = 30
// Small enough for a code that scanners read on a package, whatever its design.
const maxLinkLength = 500

/** Undefined without values. */
export function readGs1(sent: readonly Gs1Value[]): Gs1 | undefined {
  if (sent.length === 0) return undefined
  if (sent.length > maxGs1Values) throw invalid('gs1.values', `Send at most ${maxGs1Values} values.`)
  const values = sent.map(verified)
  const primary = values.find(({ key }) => primaryKeys.has(key))
  if (!primary) {
    const keys = [...primaryKeys.keys()].join(', ')
    throw invalid('gs1.values', `One value must be a primary key of GS1 Digital Link: ${keys}.`)
  }
  const path = [primary, ...qualifiersOf(primary, values)]
  // The number of a party that is paid says nothing without the number of the invoice.
  if (primary.key === '415' && path.length === 1) throw invalid('gs1.values', '415 needs 8020 beside it.')
  const attributes = values.filter((each) => !path.includes(each)).sort((a, b) => (a.key < b.key ? -1 : 1))
  requireAttributes(primary, attributes, sent)
  const query = attributes.map(({ key, value }) => `${key}=${percentEncoded(value)}`).join('&')
  const link = path.map(({ key, value }) => `/${key}/${percentEncoded(value)}`).join('') + (query && `?${query}`)
  if (link.length > maxLinkLength) {
    throw invalid('gs1.values', `The values make a link of more than ${maxLinkLength} characters. Send fewer of them.`)
  }
  return { values: [...path, ...attributes], link }
}

function verified({ key, value }: Gs1Value, index: number, sent: readonly Gs1Value[]): Gs1Value {
  const known = identifiers.get(key)
  if (!known) {
    throw invalid(
      `gs1.values.${index}.key`,
      `There is no application identifier ${quoted(key)}. Send its digits, such as 01.`,
    )
  }
  if (sent.findIndex((each) => each.key === key) < index)
    throw invalid(`gs1.values.${index}.key`, `${key} is there twice.`)
  const problem = problemOf(known, value)
  if (problem !== undefined)
    throw invalid(`gs1.values.${index}.value`, `${quoted(value)} is no value of ${key}: ${problem}`)
  return { key, value: gtinKeys.has(key) ? value.padStart(14, '0') : value }
}

function problemOf({ shape, rule, checks }: Identifier, value: string): string | undefined {
  if (!shape.test(value)) return `it needs ${rule}.`
  const failed = checks.find((check) => !check.test(value))
  return failed && `it needs ${failed.rule}.`
}

/** Those of the first list that has one of the values, in the order of the list. */
function qualifiersOf({ key }: Gs1Value, values: readonly Gs1Value[]): readonly Gs1Value[] {
  const lists = primaryKeys.get(key) ?? []
  const found = lists.map((list) => list.flatMap((each) => values.filter((value) => value.key === each)))
  return found.find((each) => each.length > 0) ?? []
}

function requireAttributes(primary: Gs1Value, attributes: readonly Gs1Value[], sent: readonly Gs1Value[]): void {
  const odd = attributes.find(({ key }) => notAttributes.has(key))
  if (odd) throw notTogether(primary, odd, sent)
}

function notTogether(primary: Gs1Value, odd: Gs1Value, sent: readonly Gs1Value[]): Refusal {
  const index = sent.findIndex(({ key }) => key === odd.key)
  const lists = (primaryKeys.get(primary.key) ?? []).map((list) => list.join(', '))
  const allowed = lists.length === 0 ? 'has no qualifiers' : `has the qualifiers ${lists.join(' or ')}`
  return invalid(
    `gs1.values.${index}.key`,
    `${odd.key} cannot be in a link with these values: ${primary.key} ${allowed}.`,
  )
}
