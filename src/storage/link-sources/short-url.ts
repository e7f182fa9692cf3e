import type { SourceAddress } from '../../core/imports/imported-link.js'
import { decodedUri } from '../../lib/decoded-uri.js'

/** Splits a short URL, with or without scheme. Undefined if it has no back-half. */
export function readShortUrl(written: string): SourceAddress | undefined {
  const withoutScheme = written.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
  const [, host, path] = /^([^/\s?#]+)\/+([^?#]+)/.exec(withoutScheme) ?? []
  if (host === undefined || path === undefined) return undefined
  return { domain: host.toLowerCase(), backHalf: decodedUri(path.replace(/\/+$/, '')) }
}
