/** What may be a branded short domain, and how its name is written down: lower case, in ASCII, without a final dot. */
import { domainToASCII } from 'node:url'
import { invalid, quoted } from './refusal.js'

/** The most characters of a branded domain, counted as it is kept and linked, so an international name counts in its ASCII form. */
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

/**
 * The name of a built-in domain as it is kept: lower case, in ASCII, with a port where visitors have to type one. Throws
 * a `Refusal` for what cannot be one.
 */
export function normaliseBuiltInName(text: string, field: string): string {
  const [, name = '', port] = /^([^\s/?#@:\\%[\]]{1,253})(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = domainToASCII(name).toLowerCase()
  const valid = host.split('.').every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
  const number = Number(port ?? 1)
  // Browsers leave these out of the Host header, so that nobody would be found under them.
  if (!valid || number < 1 || number > 65535 || number === 80 || number === 443) {
    throw invalid(field, `${quoted(text)} is not a host name, such as sho.rt or localhost:8080.`, 'domains')
  }
  return port === undefined ? host : `${host}:${number}`
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
