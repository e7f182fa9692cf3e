/**
 * Authenticates v3 callers: an access token in the query, or login and API key where allowed (docs/api/v3.md#access).
 */
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

/** Operations that older clients call with an API key (docs/api/v3.md#operations). */
export const openToKeys: ReadonlySet<string> = new Set([
  ...['/v3/expand', '/v3/shorten', '/v3/lookup', '/v3/validate'],
  ...['/v3/clicks', '/v3/clicks_by_day', '/v3/clicks_by_minute', '/v3/countries', '/v3/referrers'],
  ...['/v3/shortlink_pro_domain', '/v3/bitly_pro_domain'],
])

/** go-nsq sends its secret to nsqlookupd in an Authorization header. No other v3 operation reads that header. */
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
    // Clients compare these two codes; the path decides which one they get (docs/api/v3.md#answers).
    if (route.startsWith('/v3/user/')) throw new Failure('INVALID_ACCESS_TOKEN', 403)
    throw new Failure('INVALID_ARG_ACCESS_TOKEN')
  }
}

async function byKey(deps: AccessDeps, login: string, apiKey: string): Promise<Actor> {
  // Do not reveal which logins exist: only a login that cannot exist at all gets INVALID_LOGIN.
  if (!/^[\x21-\x7e]{1,254}$/.test(login)) throw new Failure('INVALID_LOGIN')
  const owner = await findByApiKey(deps, login, apiKey)
  const actor = owner === undefined ? undefined : await deps.accounts.actorByLogin(owner)
  if (!actor) throw new Failure('INVALID_APIKEY')
  return actor
}
