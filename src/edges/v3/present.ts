/** Core values in v3's spelling: short URLs, hashes without their domain, epoch seconds. */
import type { Domains } from '../../core/domains/domains.js'
import { notFound } from '../../core/links/read.js'
import { parseAddress, type WrittenAddress } from '../../core/values/address.js'
import type { Arguments } from './arguments.js'

export interface PresentDeps {
  readonly config: { readonly baseUrl: string }
  readonly domains: Domains
}

/** Short domains are served with the scheme the service is reached by. */
export function shortUrl({ config: { baseUrl }, domains }: PresentDeps, address: string): string {
  return `${baseUrl.slice(0, baseUrl.indexOf(':'))}://${domains.shown(address)}`
}

export function hashIn(address: string): string {
  return address.slice(address.indexOf('/') + 1)
}

export function epoch(at: number): number {
  return Math.floor(at / 1000)
}

/** The short link that a request is about. Our choice: what cannot be one is not found, like one that is not there. */
export function linkArgument(args: Arguments): WrittenAddress {
  const written = parseAddress(args.required('link'))
  if (!written) throw notFound()
  return written
}
