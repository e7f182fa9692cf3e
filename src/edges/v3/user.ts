/** Who asks, and how people and applications are shown. */

import type { AccountStore } from '../../core/accounts/account-store.js'
import type { Actor } from '../../core/accounts/actor.js'
import type { Application } from '../../core/accounts/application-store.js'
import { readUser } from '../../core/accounts/own-user.js'
import { type ApplicationDeps, readApplication } from '../../core/accounts/read-application.js'

import type { Domains } from '../../core/domains/domains.js'
import { type DestinationDeps, destinationHosts } from '../../core/links/destinations.js'
import { findByApiKey } from '../../core/sign-in/api-keys.js'
import type { Clock } from '../../core/values/clock.js'
import { Refusal } from '../../core/values/refusal.js'
import type { Arguments } from './arguments.js'
import { invalidArgument } from './errors.js'
import type { Answer, Operation, Question } from './operation.js'
import { epoch } from './present.js'

export interface NameDeps {
  readonly accounts: AccountStore
}

export interface UserDeps extends NameDeps, ApplicationDeps, DestinationDeps {
  readonly accounts: AccountStore
  readonly clock: Clock
  readonly domains: Domains
}

export function userOperations(deps: UserDeps): readonly Operation[] {
  return [
    { path: '/v3/user/info', answer: (question) => info(deps, question) },
    { path: '/v3/oauth/app', answer: (question) => app(deps, question) },
    { path: '/v3/validate', hasText: true, answer: (question) => validate(deps, question) },
    ...['shortlink_pro_domain', 'bitly_pro_domain'].map((name) => ({
      path: `/v3/${name}`,
      hasText: true,
      answer: async ({ args }: Question) => proDomain(deps, args, name),
    })),
  ]
}

/** Everybody sees themselves. Others look as if they were not there. */
export function requireSelf(actor: Actor, login = actor.login): void {
  if (login === actor.login) return
  throw new Refusal('NOT_FOUND', 'There is no such user, or it is not you.', { resource: 'users' })
}

/** What `expand_user` adds. */
export function userInfo(login: string, name: string | undefined) {
  return { login, full_name: name || login, display_name: name || login }
}

/** Somebody in full, where a whole user stands in the place of a login. */
export function wholeUser(login: string, name: string | undefined) {
  return { ...userInfo(login, name), profile_url: '', avatar_url: '' }
}

/** What `expand_client_id` adds. */
export function clientInfo({ clientId, name, description, link }: Application) {
  return { client_id: clientId, app_name: name, app_description: description, app_link: link }
}

async function app(deps: UserDeps, { args }: Question): Promise<Answer> {
  return { data: clientInfo(await readApplication(deps, args.required('client_id'))) }
}

async function validate(deps: UserDeps, { args }: Question): Promise<Answer> {
  const owner = await findByApiKey(deps, args.required('x_login'), args.required('x_apiKey'))
  const valid = owner === undefined ? 0 : 1
  return { data: { valid }, text: String(valid) }
}

/** Whether a domain is somebody's own. Public clients call it by the second name. */
function proDomain(deps: UserDeps, args: Arguments, name: string): Answer {
  const domain = args.required('domain')
  if (/[/\s]/.test(domain)) throw invalidArgument('domain')
  const isPro = deps.domains.isBranded(domain.toLowerCase())
  return { data: { domain, [name]: isPro }, text: String(isPro) }
}

async function info(deps: UserDeps, { actor, args }: Question): Promise<Answer> {
  requireSelf(actor, args.text('login'))
  const user = await readUser(deps, actor)
  const preferred = deps.domains.preferredBy(actor.defaultGroupGuid)
  const branded = deps.domains.brandedOf([actor.defaultGroupGuid])
  return {
    data: {
      ...userInfo(user.login, user.name),
      profile_url: '',
      profile_image: '',
      member_since: epoch(user.createdAt),
      share_accounts: [],
      // Only hashes of keys are kept (docs/api/v3.md).
      apiKey: null,
      is_enterprise: 0,
      custom_short_domain: preferred.branded ? preferred.name : null,
      tracking_domains: await destinationHosts(deps, actor),
      default_link_privacy: 'public',
      domain_preference_options: [...deps.domains.builtIn.map(({ name }) => name), ...branded],
    },
  }
}
