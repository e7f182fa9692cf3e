/**
 * Addresses, written `<domain>/<back-half>`. Links, keywords and global hashes share this one namespace. Back-halves are
 * case sensitive.
 */

/** The syntax of hashes and keywords. */
export const backHalf = /^[A-Za-z0-9_-]{1,50}$/

export function isBackHalf(text: string): boolean {
  return backHalf.test(text)
}

/**
 * The syntax of back-halves that come from other products: several segments, dots, and letters of any script. They
 * redirect like all others; new ones are created with the narrower syntax. What is cut off a visited path
 * (docs/api/redirects.md#how-a-link-is-found) cannot end one.
 */
export function isForeignBackHalf(text: string): boolean {
  return text.length <= 255 && foreignBackHalf.test(text) && !foreignEnd.test(text) && !dotSegment.test(text)
}

const foreignBackHalf = /^[^\p{Cc}\p{Cs}\p{Z}/?#%\\]+(?:\/[^\p{Cc}\p{Cs}\p{Z}/?#%\\]+)*$/u
const foreignEnd = /[/.,;:!?)\]}>'"*+\u00bb\u200b-\u200f\u2019\u201d\u2026\u2060]$/
const dotSegment = /(?:^|\/)\.\.?(?:\/|$)/

/** Any back-half that can be served. */
export function isImportableBackHalf(text: string): boolean {
  if (isBackHalf(text)) return !reservedSegments.has(text.toLowerCase())
  const [first = ''] = text.split('/', 1)
  return isForeignBackHalf(text) && !first.startsWith('.') && !reservedSegments.has(first.toLowerCase())
}

/** An address as the caller wrote it; `Domains.addressOf` resolves it to a stored address. */
export interface WrittenAddress {
  readonly domain: string
  readonly backHalf: string
}

/** Splits a link id into domain and back-half. Also accepts a pasted short URL, scheme included. */
export function parseAddress(text: string): WrittenAddress | undefined {
  const [, domain, backHalf] = /^(?:https?:\/\/)?([^/\s]+)\/([^/\s]+)$/i.exec(text) ?? []
  return domain === undefined || backHalf === undefined ? undefined : { domain: domain.toLowerCase(), backHalf }
}

/** A custom back-half: valid syntax, and not a path of the service itself. */
export function isKeyword(text: string): boolean {
  return isBackHalf(text) && !reservedSegments.has(text.toLowerCase())
}

/**
 * First path segments that the service itself uses. No link may take them on any domain, because an operator may later
 * make any of the domains the service's own host.
 */
export const reservedSegments: ReadonlySet<string> = new Set([
  '.well-known',
  'account',
  'api',
  'app',
  'assets',
  'docs',
  'favicon.ico',
  'healthz',
  'internal',
  'login',
  'logout',
  'metrics',
  'oauth',
  'openapi.json',
  'readyz',
  'robots.txt',
  'v3',
  'v4',
])
