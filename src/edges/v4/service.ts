/** The service itself: its version and, for those who run it, all organizations and plans. An addition to the public API. */

import { type Static, Type } from 'typebox'
import {
  backChannelUrl,
  callbackUrl,
  type IdentityProvider,
  signedOutUrl,
} from '../../core/identity-providers/provider.js'
import type { ChangePlanDeps } from '../../core/limits/change-plan.js'
import type { Plans } from '../../core/limits/plans.js'
import { timestamp } from '../../core/values/time.js'
import { version } from '../../lib/version.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { serviceAdmin } from './access.js'
import { route } from './route.js'
import { moment, optionalText } from './schemas/fields.js'

export interface ServiceRouteDeps extends Pick<ChangePlanDeps, 'groups'> {
  readonly plans: Pick<Plans, 'of' | 'all'>
  readonly identityProviders: readonly Pick<IdentityProvider, 'settings'>[]
  readonly config: { readonly baseUrl: string; readonly passwordLogin: 'on' | 'off' }
}

const plan = Type.String({ description: 'Name of the plan' })

const Overview = Type.Object(
  {
    organizations: Type.Array(
      Type.Object({
        guid: Type.String({ examples: ['Og5Rt1Yw7Zc'] }),
        name: Type.String({ examples: ['Example Ltd'] }),
        is_active: Type.Boolean({ examples: [true] }),
        created: moment(),
        plan,
        bsds: Type.Array(Type.String(), { description: 'Its branded domains' }),
      }),
      { description: 'Oldest first' },
    ),
    plans: Type.Array(Type.Object({ name: plan, display_name: Type.String({ examples: ['Team'] }) })),
  },
  { description: 'All organizations, and the plans they can have' },
)

const Provider = Type.Object(
  {
    id: Type.String({ description: 'Part of its callback URL', examples: ['oidc'] }),
    name: Type.String({ description: 'On the button of the sign-in page', examples: ['Example Inc.'] }),
    issuer: Type.String({ examples: ['https://id.example.com/realms/staff'] }),
    client_id: Type.String({ examples: ['shortlink'] }),
    has_client_secret: Type.Boolean({ description: 'False: a public client, with PKCE alone', examples: [true] }),
    callback_url: Type.String({
      description: 'To be registered with the provider, exactly ("redirect URI")',
      examples: ['https://go.example.com/account/sign-in/with/oidc/callback'],
    }),
    back_channel_logout_url: Type.String({ examples: ['https://go.example.com/account/sign-in/with/oidc/logout'] }),
    post_logout_redirect_url: Type.String({ examples: ['https://go.example.com/account/signed-out'] }),
    scopes: Type.String({ examples: ['openid profile email'] }),
    login_claim: Type.String({ examples: ['preferred_username'] }),
    groups_claim: Type.String({ examples: ['groups'] }),
    allowed_groups: Type.Array(Type.String(), {
      description: 'Whose people may sign in; empty for everybody',
      examples: [['staff']],
    }),
    admin_group: optionalText('Its people administer the oldest organization'),
    group_roles: Type.Array(Type.Object({ group: Type.String(), role: Type.String(), in: Type.String() }), {
      description: 'Which groups give which roles; `in` is a group or an organization',
      examples: [[{ group: 'marketing', role: 'member', in: 'Ba1bc23dE4F' }]],
    }),
    create_users: Type.Boolean({ examples: [true] }),
    link: Type.String({ examples: ['never'] }),
    auto_redirect: Type.Boolean({ examples: [false] }),
    end_tokens: Type.Boolean({ examples: [false] }),
  },
  { description: 'The settings of one, as on the page about signing in with a company, without its secret' },
)

const Service = Type.Object(
  {
    name: Type.String({ description: 'Name of the program' }),
    version: Type.String({ description: 'Version of the program', examples: ['1.0.0'] }),
  },
  { description: 'The program that answers' },
)

export function serviceRoutes(http: TypedFastify, deps: ServiceRouteDeps): void {
  const service = { name: 'shortlink', version: version() }
  route(http, 'Organizations', 'getService: GET /v4/service', {
    scope: 'any',
    access: () => {},
    summary: 'Get the version of this service',
    description: 'The name and the version of the program. Any token may ask.',
    response: { 200: Service },
    answer: () => service,
  })

  route(http, 'Organizations', 'listServiceOrganizations: GET /v4/service/organizations', {
    scope: 'admin',
    list: { name: 'organizations', by: 'guid' },
    access: serviceAdmin(deps),
    summary: 'List all organizations of this service and their plans',
    description: 'For operators: administrators of the first organization of this service.',
    response: { 200: Overview },
    answer: async () => {
      const organizations = await deps.groups.organizations('all')
      return {
        organizations: organizations.map(({ guid, name, isActive, createdAt, domains }) => ({
          guid,
          name,
          is_active: isActive,
          created: timestamp(createdAt),
          plan: deps.plans.of(guid).name,
          bsds: [...domains],
        })),
        plans: deps.plans.all().map(({ name, displayName }) => ({ name, display_name: displayName })),
      }
    },
  })

  route(http, 'Organizations', 'listIdentityProviders: GET /v4/service/identity_providers', {
    scope: 'admin',
    list: { name: 'identity_providers', by: 'id' },
    access: serviceAdmin(deps),
    summary: 'List the identity providers that people sign in with',
    description: 'As the operator configured them, with the URLs to register there. For operators, as above.',
    response: {
      200: Type.Object(
        {
          identity_providers: Type.Array(Provider, { description: 'In the order of the sign-in page' }),
          password_login: Type.Boolean({ description: 'Whether people may sign in with a password', examples: [true] }),
        },
        { description: 'The identity providers' },
      ),
    },
    answer: () => ({
      identity_providers: deps.identityProviders.map(({ settings }) => presentProvider(settings, deps.config.baseUrl)),
      password_login: deps.config.passwordLogin === 'on',
    }),
  })
}

function presentProvider(settings: IdentityProvider['settings'], baseUrl: string): Static<typeof Provider> {
  const { id, name, issuer, clientId, clientSecret, scopes, loginClaim, groupsClaim = 'groups', link } = settings
  return {
    id,
    name,
    issuer,
    client_id: clientId,
    has_client_secret: clientSecret !== undefined,
    callback_url: callbackUrl(baseUrl, id),
    back_channel_logout_url: backChannelUrl(baseUrl, id),
    post_logout_redirect_url: signedOutUrl(baseUrl),
    scopes,
    login_claim: loginClaim,
    groups_claim: groupsClaim,
    allowed_groups: [...settings.allowedGroups],
    ...(settings.adminGroup !== undefined && { admin_group: settings.adminGroup }),
    group_roles: settings.groupRoles.map(({ group, role, in: guid }) => ({ group, role, in: guid })),
    create_users: settings.createUsers,
    link,
    auto_redirect: settings.autoRedirect,
    end_tokens: settings.endTokens,
  }
}
