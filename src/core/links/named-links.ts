import type { Domains } from '../domains/domains.js'
import { parseAddress } from '../values/address.js'
import { invalid } from '../values/refusal.js'

/** In one request. */
export const maxNamedLinks = 100

/** The stored addresses of links that a request names by their ids, without those on unknown domains. */
export function addressesNamed(
  { domains }: { readonly domains: Domains },
  shortlinks: readonly string[],
): readonly string[] {
  if (shortlinks.length === 0 || shortlinks.length > maxNamedLinks) {
    throw invalid('shortlinks', `Send the ids of 1 to ${maxNamedLinks} short links.`, 'shortlinks')
  }
  return shortlinks.flatMap((text) => {
    const written = parseAddress(text)
    if (!written) throw invalid('shortlinks', 'Send each short link as <domain>/<hash>.', 'shortlinks')
    return domains.addressOf(written.domain, written.backHalf) ?? []
  })
}
