/** Formats core values for v3: short URLs, hashes without their domain, epoch seconds. */
import type { Domains } from '../../core/domains/domains.js'
import { notFound } from '../../core/links/read.js'
import { parseAddress, type WrittenAddress } from '../../core/values/address.js'
import type { Arguments } from './arguments.js'

export interface PresentDeps {
  readonly config: { readonly baseUrl: string }
  readonly domains: Domains
}

export function shortUrl({ config: { baseUrl }, domains }: PresentDeps, address: string): string {
  return domains.urlOf(address, baseUrl)
}

export function hashIn(address: string): string {
  return address.slice(address.indexOf('/') + 1)
}

export function epoch(at: number): number {
  return Math.floor(at / 1000)
}

/** Parses the short link argument. A string that cannot be a short link is answered as not found. */
export function linkArgument(args: Arguments): WrittenAddress {
  const written = parseAddress(args.required('link'))
  if (!written) throw notFound()
  return written
}
