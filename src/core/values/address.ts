/**
 * Addresses: `<domain>/<back-half>`, the one name space of everything that redirects. Back-halves are case sensitive;
 * hashes and keywords share them.
 */
import { randomBase62 } from '../../lib/base62.js'

/** Hashes and keywords alike. */
export const backHalf = /^[A-Za-z0-9_-]{1,50}$/

export function isBackHalf(text: string): boolean {
  return backHalf.test(text)
}

/** An address as a caller wrote it. Which stored address it means, `Domains.addressOf` knows. */
export interface WrittenAddress {
  readonly domain: string
  readonly backHalf: string
}

/** The two halves of an id as callers write it. Our choice: a pasted short URL is understood as its id. */
export function parseAddress(text: string): WrittenAddress | undefined {
  const [, domain, backHalf] = /^(?:https?:\/\/)?([^/\s]+)\/([^/\s]+)$/i.exec(text) ?? []
  return domain === undefined || backHalf === undefined ? undefined : { domain: domain.toLowerCase(), backHalf }
}

/** Draws a new hash; with a beginning, one of those that start with it. */
export type DrawHash = (beginning?: string) => string

/** Seven characters of `[0-9A-Za-z]`: 3.5 million million of them, drawn again when one is taken. */
export function randomHash(beginning = ''): string {
  const hash = beginning + randomBase62(7 - beginning.length)
  // `metrics` and `healthz` have seven characters too.
  return reservedSegments.has(hash) ? randomHash(beginning) : hash
}

/** A chosen back-half: any that could be one, except those that are or look like the service's own paths. */
export function isKeyword(text: string): boolean {
  return isBackHalf(text) && !reservedSegments.has(text.toLowerCase())
}

/**
 * First path segments that belong to the service on its own host. No link may take them, on any domain, because any
 * domain may become the service's own host one day. // Our choice
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
