/**
 * Tokens that are limited to domains (docs/api/identity.md#limited-to-domains). They may do what names its domain in the
 * request: an operation on one short link, or a new one. Everything else may be about several domains, and is refused.
 */
import type { Actor } from '../accounts/actor.js'
import type { WrittenAddress } from '../values/address.js'
import { Refusal } from '../values/refusal.js'
import type { Domains } from './domains.js'

/** Where the request names its domain: as the address of a link, or alone. Undefined: nowhere. */
export type NamedDomain = WrittenAddress | string | undefined

export function requireDomainOfToken(
  domains: Pick<Domains, 'named' | 'addressOf'>,
  actor: Actor,
  named: NamedDomain,
): void {
  if (actor.domains === undefined) return
  const key =
    typeof named === 'object'
      ? domains.addressOf(named.domain, named.backHalf)?.split('/', 1)[0]
      : named && domains.named(named)?.key
  if (!key || !actor.domains.some((name) => domains.named(name)?.key === key)) throw notOnDomains(actor)
}

export function notOnDomains({ domains = [] }: Actor): Refusal {
  const message =
    `This token is limited to links on ${domains.join(', ')}. ` +
    'It creates links there (send `domain`), and reads and changes single ones.'
  return new Refusal('FORBIDDEN', message, { resource: 'domains' })
}
