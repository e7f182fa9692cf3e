/** What may be a branded short domain, and how its name is written down: lower case, in ASCII, without a final dot. */
import { domainToASCII } from 'node:url'
import { invalid, quoted } from '../refusal.js'

/** v4 Limits 5. Counted as it is kept and linked, so an international name counts in its ASCII form. */
export const domainNameLimit = 32

/** The name as it is kept; throws a `Refusal` for what cannot be one. `field` is the argument it came in. */
export function normaliseDomainName(text: string, field = 'domain'): string {
  const name = asciiName(text)
  if (name === undefined) {
    throw invalid(
      field,
      `${quoted(text)} is not a domain name. Send the bare host name, such as go.example.com: no https://, path or port.`,
      'domains',
    )
  }
  if (name.length > domainNameLimit) {
    throw invalid(field, `The domain ${quoted(name)} is longer than ${domainNameLimit} characters.`, 'domains')
  }
  return name
}

/** Whether a name in lower case could be kept at all; what could not is never asked for in a store. */
export function couldBeDomain(name: string): boolean {
  return /^[a-z0-9.-]{1,253}$/.test(name)
}

function asciiName(text: string): string | undefined {
  // Checked before the conversion, which follows browsers and would cut at a slash or strip white space.
  if (!/^[^\s/?#@:\\%[\]]{1,253}$/.test(text)) return undefined
  const name = domainToASCII(text).toLowerCase().replace(/\.$/, '')
  const labels = name.split('.')
  const valid = labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
  // A last label of digits only is an IPv4 address, in one of its many spellings.
  return valid && labels.length > 1 && /\D/.test(labels.at(-1) ?? '') ? name : undefined
}
