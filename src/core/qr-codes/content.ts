import type { Domains } from '../domains/domains.js'
import type { QrCode } from './qr-code.js'

export interface ContentDeps {
  readonly config: { readonly baseUrl: string }
  readonly domains: Pick<Domains, 'shown' | 'urlOf'>
}

/**
 * What scanners read: the short URL, the GS1 values, and `r=qr`, which tells a scan from a click
 * (docs/api/qr-codes.md#scans).
 */
export function contentOf({ config, domains }: ContentDeps, { address, gs1 }: Pick<QrCode, 'address' | 'gs1'>): string {
  const link = gs1?.link ?? ''
  return `${domains.urlOf(address, config.baseUrl)}${link}${link.includes('?') ? '&' : '?'}r=qr`
}
