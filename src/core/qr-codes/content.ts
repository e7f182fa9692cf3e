import type { Domains } from '../domains/domains.js'

export interface ContentDeps {
  readonly config: { readonly baseUrl: string }
  readonly domains: Pick<Domains, 'shown'>
}

/** What scanners read: the short URL, and `r=qr`, which tells a scan from a click (docs/api/qr-codes.md#scans). */
export function contentOf({ config: { baseUrl }, domains }: ContentDeps, address: string): string {
  return `${baseUrl.slice(0, baseUrl.indexOf(':'))}://${domains.shown(address)}?r=qr`
}
