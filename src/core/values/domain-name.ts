/** Domain names: validation, and the stored form (lower case, ASCII, no trailing dot). */
import { domainToASCII } from 'node:url'
import { invalid, quoted } from './refusal.js'

/** Maximum length of a branded domain in its stored form: an international name counts in punycode. */
export const domainNameLimit = 32

/** Returns the stored form; throws a `Refusal` for an invalid name. `field` is the argument at fault. */
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

/** Whether a lower-case name has valid characters and length; checked before a store lookup. */
export function couldBeDomain(name: string): boolean {
  return /^[a-z0-9.-]{1,253}$/.test(name)
}

/** Not an IP address, and not a name that only this machine or its network knows. */
export function isPublicName(host: string): boolean {
  return host.includes('.') && !/^[\d.]+$|^\[|\.(localhost|local|internal|lan|home\.arpa)$/.test(host)
}

/**
 * Returns the stored form of a built-in domain: lower case, ASCII, with the port if short URLs carry one. Throws a
 * `Refusal` for an invalid name.
 */
export function normaliseBuiltInName(text: string, field: string): string {
  const [, name = '', port] = /^([^\s/?#@:\\%[\]]{1,253})(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = domainToASCII(name).toLowerCase()
  const valid = host.split('.').every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
  const number = Number(port ?? 1)
  // Browsers leave the default ports out of the Host header, so such a domain would never match.
  if (!valid || number < 1 || number > 65535 || number === 80 || number === 443) {
    throw invalid(field, `${quoted(text)} is not a host name, such as sho.rt or localhost:8080.`, 'domains')
  }
  return port === undefined ? host : `${host}:${number}`
}

function asciiName(text: string): string | undefined {
  // Check before converting: domainToASCII, like browsers, would cut at a slash and strip white space.
  if (!/^[^\s/?#@:\\%[\]]{1,253}$/.test(text)) return undefined
  const name = domainToASCII(text).toLowerCase().replace(/\.$/, '')
  const labels = name.split('.')
  const valid = labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
  // A last label of digits only makes it an IPv4 address.
  return valid && labels.length > 1 && /\D/.test(labels.at(-1) ?? '') ? name : undefined
}
