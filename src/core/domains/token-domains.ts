/**
 * Tokens that are limited to domains (docs/api/identity.md#limited-to-domains). They may do what names its domain in the
 * request: an operation on one short link, or a new one. Everything else may be about several domains, and is refused.
 */
import type { Actor } from '../accounts/actor.js'
import type { WrittenAddress } from '../values/address.js'
import { Refusal } from '../values/refusal.js'
import type { Domains } from './domains.js'

/** A domain that a request names: alone, or in the address of a link. Undefined: it is no address. */
export type NamedDomain = WrittenAddress | string | undefined

/** `named`: all that decides which domain the request is about; the token must be for each. */
export function requireDomainsOfToken(
  domains: Pick<Domains, 'named' | 'addressOf'>,
  actor: Actor,
  named: readonly NamedDomain[],
): void {
  if (actor.domains === undefined) return
  const allowed = actor.domains.map((name) => domains.named(name)?.key)
  const isAllowed = (each: NamedDomain) => {
    const key =
      typeof each === 'object'
        ? domains.addressOf(each.domain, each.backHalf)?.split('/', 1)[0]
        : each && domains.named(each)?.key
    return key && allowed.includes(key)
  }
  if (named.length === 0 || !named.every(isAllowed)) throw notOnDomains(actor)
}

function notOnDomains({ domains = [] }: Actor): Refusal {
  const message =
    `This token is limited to links on ${domains.join(', ')}. ` +
    'It creates links there (send `domain`), and reads and changes single ones.'
  return new Refusal('FORBIDDEN', message, { resource: 'domains' })
}
