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
export const foreignEnd = /[/.,;:!?)\]}>'"*+\u00bb\u200b-\u200f\u2019\u201d\u2026\u2060]$/
const dotSegment = /(?:^|\/)\.\.?(?:\/|$)/

/** Any back-half that can be served. */
export function isImportableBackHalf(text: string): boolean {
  if (isBackHalf(text)) return !reservedSegments.has(text.toLowerCase())
  const [first = ''] = text.split('/', 1)
  if (first.startsWith('.') || reservedSegments.has(first.toLowerCase()) || gs1Path.test(text)) return false
  return isForeignBackHalf(text) && encodeURIComponent(text).length <= maxPathLength
}

/** A back-half with a GS1 Digital Link after it, as printed on goods (docs/api/qr-codes.md#gs1-digital-link). */
export const gs1Path = /^([A-Za-z0-9_-]{1,50})(?:\/\d{2,4}\/[^/]+)+$/

/**
 * A fully percent-encoded back-half, and as much again after it. The pattern for trailing punctuation tries every dot of a path as a
 * start: without a limit, fifteen thousand dots blocked the process for a sixth of a second.
 */
export const maxPathLength = 300

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

/** Like `parseAddress`, for addresses whose back-half may have several segments. */
export function parseForeignAddress(text: string): WrittenAddress | undefined {
  const [, domain, backHalf] = /^(?:https?:\/\/)?([^/\s]+)\/(\S+)$/i.exec(text) ?? []
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
