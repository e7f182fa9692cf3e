/**
 * Addresses: `<domain>/<back-half>`, the one name space of everything that redirects. Back-halves are case sensitive;
 * hashes and keywords share them (gaps 8).
 */
import { randomBase62 } from '../../lib/base62.js'

const backHalf = /^[A-Za-z0-9_-]{1,50}$/

export function isBackHalf(text: string): boolean {
  return backHalf.test(text)
}

/** Seven characters of `[0-9A-Za-z]`: 3.5 million million of them, drawn again when one is taken. */
export function randomHash(): string {
  return randomBase62(7)
}

/**
 * First path segments that belong to the service on its own host. No link may take them, on any domain, because any
 * domain may become the service's own host one day. // Our choice
 */
export const reservedSegments: ReadonlySet<string> = new Set([
  '.well-known',
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
