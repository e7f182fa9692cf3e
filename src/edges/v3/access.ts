/** Who is asking: a token in the query, or a login with its key where that is allowed (docs/api/v3.md#access). */
import type { Actor } from '../../core/accounts/actor.js'
import { findByApiKey } from '../../core/sign-in/api-keys.js'
import { Refusal } from '../../core/values/refusal.js'
import type { Arguments } from './arguments.js'
import { Failure, missing } from './errors.js'
import { lookupPath } from './nsq.js'

export type AccessDeps = Parameters<typeof findByApiKey>[0] & {
  readonly tokens: { authenticate(token: string): Promise<Actor> }
  readonly accounts: { actorByLogin(login: string): Promise<Actor | undefined> }
}

/** The operations that clients of older days call with a key; docs/api/v3.md#operations names them. */
const openToKeys: ReadonlySet<string> = new Set([
  ...['/v3/expand', '/v3/shorten', '/v3/lookup', '/v3/validate'],
  ...['/v3/clicks', '/v3/clicks_by_day', '/v3/clicks_by_minute', '/v3/countries', '/v3/referrers'],
  ...['/v3/shortlink_pro_domain', '/v3/bitly_pro_domain'],
])

/** go-nsq sends its secret to what it takes for an nsqlookupd in a header; no other operation looks at one. */
const openToHeaders: ReadonlySet<string> = new Set([lookupPath])

export async function authenticate(
  deps: AccessDeps,
  args: Arguments,
  route: string,
  authorization: string | undefined,
): Promise<Actor> {
  const token = args.text('access_token') ?? (openToHeaders.has(route) ? bearer(authorization) : undefined)
  if (token !== undefined) return byToken(deps, token, route)
  const [login, apiKey] = [args.text('login'), args.text('apiKey')]
  if (!openToKeys.has(route) || (login === undefined && apiKey === undefined)) throw missing('access_token')
  if (login === undefined) throw missing('login')
  if (apiKey === undefined) throw missing('apiKey')
  return byKey(deps, login, apiKey)
}

function bearer(authorization = ''): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1]
}

async function byToken(deps: AccessDeps, token: string, route: string): Promise<Actor> {
  try {
    return await deps.tokens.authenticate(token)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'FORBIDDEN') throw error
    // Two codes, by path: clients compare them (docs/api/v3.md#answers).
    if (route.startsWith('/v3/user/')) throw new Failure('INVALID_ACCESS_TOKEN', 403)
    throw new Failure('INVALID_ARG_ACCESS_TOKEN')
  }
}

async function byKey(deps: AccessDeps, login: string, apiKey: string): Promise<Actor> {
  // Our choice: which logins exist is not told; only one that nobody can have is called invalid.
  if (!/^[\x21-\x7e]{1,254}$/.test(login)) throw new Failure('INVALID_LOGIN')
  const owner = await findByApiKey(deps, login, apiKey)
  const actor = owner === undefined ? undefined : await deps.accounts.actorByLogin(owner)
  if (!actor) throw new Failure('INVALID_APIKEY')
  return actor
}
