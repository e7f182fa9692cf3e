/** The caller's account, and how users and applications are presented. */

import type { AccountStore } from '../../core/accounts/account-store.js'
import type { Actor } from '../../core/accounts/actor.js'
import type { Application } from '../../core/accounts/application-store.js'
import { type ApplicationDeps, readApplication } from '../../core/accounts/applications.js'
import { readUser } from '../../core/accounts/users.js'

import type { Domains } from '../../core/domains/domains.js'
import { type DestinationDeps, destinationHosts } from '../../core/links/account.js'
import { findByApiKey } from '../../core/sign-in/api-keys.js'
import { Refusal } from '../../core/values/refusal.js'
import type { Clock } from '../../core/values/time.js'
import { argument, optional } from './about.js'
import type { Arguments } from './arguments.js'
import { invalidArgument } from './errors.js'
import type { Operation, Operations, V3Request, V3Result } from './operation.js'
import { epoch } from './present.js'

export interface NameDeps {
  readonly accounts: AccountStore
}

export interface UserDeps extends NameDeps, ApplicationDeps, DestinationDeps {
  readonly accounts: AccountStore
  readonly clock: Clock
  readonly domains: Domains
}

export function userOperations(deps: UserDeps): Operations {
  return {
    '/v3/user/info': {
      scope: 'any',
      summary: 'Get your user',
      description:
        'With your default domain and the domains you may choose. `apiKey` is always null: keys are shown once, when they are created.',
      query: { login: optional('Only yourself') },
      data: {
        login: 'anna',
        full_name: 'Anna Berger',
        display_name: 'Anna Berger',
        profile_url: '',
        profile_image: '',
        member_since: 1761038400,
        share_accounts: [],
        apiKey: null,
        is_enterprise: 0,
        custom_short_domain: 'go.example.com',
        tracking_domains: ['www.example.com'],
        default_link_privacy: 'public',
        domain_preference_options: ['go.example.com'],
      },
      run: (request) => info(deps, request),
    },
    '/v3/oauth/app': {
      scope: 'any',
      summary: 'Get a registered OAuth application',
      description: 'Its name, description and web page.',
      query: { client_id: argument('Id of the application', 'zwc4rkav8y8jpgorrni4f99nfplf5b6dx519jwnm') },
      data: {
        client_id: 'zwc4rkav8y8jpgorrni4f99nfplf5b6dx519jwnm',
        app_name: 'Newsletter desk',
        app_description: '',
        app_link: 'https://desk.example.com',
      },
      run: (request) => app(deps, request),
    },
    '/v3/validate': {
      scope: 'any',
      summary: 'Check a login and an API key',
      description: '1 if the key belongs to that user, else 0.',
      query: {
        x_login: argument('The login', 'anna'),
        x_apiKey: argument('The API key', 'R_0123456789abcdef0123456789abcdef'),
      },
      data: { valid: 1 },
      hasText: true,
      run: (request) => validate(deps, request),
    },
    '/v3/shortlink_pro_domain': proDomainOperation(deps, 'shortlink_pro_domain'),
    '/v3/bitly_pro_domain': proDomainOperation(deps, 'bitly_pro_domain'),
  }
}

function proDomainOperation(deps: UserDeps, name: string): Operation {
  return {
    hasText: true,
    scope: 'any',
    summary: 'Check whether a domain is a branded domain',
    description: 'Of this service, of any organization.',
    query: { domain: argument('The domain', 'go.example.com') },
    data: { domain: 'go.example.com', [name]: true },
    run: async ({ args }, inWord) => proDomain(deps, args, inWord(name)),
  }
}

/** Users see only themselves; other logins are reported as not found. */
export function requireSelf(actor: Actor, login = actor.login): void {
  if (login === actor.login) return
  throw new Refusal('NOT_FOUND', 'There is no such user, or you may not see it.', { resource: 'users' })
}

/** The `user_info` that `expand_user` adds. */
export function userInfo(login: string, name: string | undefined) {
  return { login, full_name: name || login, display_name: name || login }
}

/** The user object, where the response replaces a login by it. */
export function fullUser(login: string, name: string | undefined) {
  return { ...userInfo(login, name), profile_url: '', avatar_url: '' }
}

/** The application that `expand_client_id` adds. */
export function clientInfo({ clientId, name, description, link }: Application) {
  return { client_id: clientId, app_name: name, app_description: description, app_link: link }
}

async function app(deps: UserDeps, { args }: V3Request): Promise<V3Result> {
  return { data: clientInfo(await readApplication(deps, args.required('client_id'))) }
}

async function validate(deps: UserDeps, { args }: V3Request): Promise<V3Result> {
  const owner = await findByApiKey(deps, args.required('x_login'), args.required('x_apiKey'))
  const valid = owner === undefined ? 0 : 1
  return { data: { valid }, text: String(valid) }
}

/** Whether a domain is a branded domain. Available clients use the second name. */
function proDomain(deps: UserDeps, args: Arguments, name: string): V3Result {
  const domain = args.required('domain')
  if (/[/\s]/.test(domain)) throw invalidArgument('domain')
  const isPro = deps.domains.isBranded(domain.toLowerCase())
  return { data: { domain, [name]: isPro }, text: String(isPro) }
}

async function info(deps: UserDeps, { actor, args }: V3Request): Promise<V3Result> {
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
      // Only hashes of API keys are stored (docs/api/v3.md).
      apiKey: null,
      is_enterprise: 0,
      custom_short_domain: preferred.branded ? preferred.name : null,
      tracking_domains: await destinationHosts(deps, actor),
      default_link_privacy: user.defaultLinkPrivacy,
      domain_preference_options: [...deps.domains.builtIn.map(({ name }) => name), ...branded],
    },
  }
}
