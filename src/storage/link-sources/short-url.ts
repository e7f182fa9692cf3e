import type { SourceAddress } from '../../core/moving/imported-link.js'

/** Splits a short URL, with or without scheme. Undefined if it has no back-half. */
export function readShortUrl(written: string): SourceAddress | undefined {
  const [, host, path] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/\s?#]+)\/+([^?#]+)/i.exec(written.trim()) ?? []
  if (host === undefined || path === undefined) return undefined
  return { domain: host.toLowerCase(), backHalf: decoded(path.replace(/\/+$/, '')) }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
