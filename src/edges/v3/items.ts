/** Resolves the links given by `shortUrl` and `hash` in one request, with the argument to repeat in the response. */
import { type AggregateDeps, type Found, lookUp, lookUpHash } from '../../core/links/aggregate.js'
import { parseAddress } from '../../core/values/address.js'
import type { Value } from './envelope.js'
import { Failure, invalidArgument } from './errors.js'
import type { V3Request } from './operation.js'
import { hashIn } from './present.js'

export interface NamedItem {
  readonly echo: { readonly [name: string]: Value }
  readonly found: Found | undefined
}

/** docs/api/v3.md#operations */
const maxItems = 15

/** Resolves every `shortUrl` and `hash` in the order they were sent. */
export async function eachNamed(
  deps: AggregateDeps,
  { actor, args }: V3Request,
  max = maxItems,
): Promise<readonly NamedItem[]> {
  const sent = args.all('shortUrl', 'hash')
  if (sent.every(({ value }) => value === '')) throw new Failure('MISSING_ARG_SHORTURL_OR_HASH')
  if (sent.length > max) throw invalidArgument('shortUrl_or_hash')
  const items: NamedItem[] = []
  for (const { name, value } of sent) {
    if (name === 'hash') {
      items.push({ echo: { hash: value }, found: await lookUpHash(deps, actor, value) })
      continue
    }
    const written = parseAddress(value)
    items.push({ echo: { short_url: value }, found: written && (await lookUp(deps, actor, written)) })
  }
  return items
}

export const missingItem = { error: 'NOT_FOUND' }

/** A global hash has no owner, so it is returned as its own user hash. */
export function hashes({ link, aggregate }: Found) {
  return { user_hash: link?.hash ?? hashIn(aggregate), global_hash: hashIn(aggregate) }
}
