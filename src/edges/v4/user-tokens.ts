/** Access tokens and v3 API keys of the caller. An addition: the public service offers this only as web pages. */

import { type Static, Type } from 'typebox'
import type { ApiKeyRecord, TokenRecord } from '../../core/accounts/account.js'
import { scopeNames, whatAllows } from '../../core/accounts/scopes.js'
import { maxOverlap, maxTokenDomains, maxTokenGroups } from '../../core/accounts/tokens.js'
import { type ApiKeyDeps, createApiKey, listApiKeys, revokeApiKey } from '../../core/sign-in/api-keys.js'
import {
  type CreatedOwnToken,
  createOwnToken,
  labelOwnToken,
  listOwnTokens,
  type OwnTokenDeps,
  readOwnToken,
  revokeOwnToken,
  rotateOwnToken,
} from '../../core/sign-in/own-tokens.js'
import { invalid } from '../../core/values/refusal.js'
import { parseTimestamp, timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { bounds, emptyRemoves } from '../http/validation.js'
import { everybody } from './access.js'
import { route } from './route.js'
import { labelBounds, newLabelBounds, timestampBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { choice, moment, optionalText } from './schemas/fields.js'
import { listAnswer } from './schemas/lists.js'

/** For the OpenAPI document. */
const scopeList = scopeNames.map((name) => `\`${name}\`: ${whatAllows(name)}.`).join(' ')

export type UserTokenRouteDeps = OwnTokenDeps & ApiKeyDeps

const shared = {
  guid: Type.String(),
  label: Type.String({ description: 'Your label' }),
  hint: Type.String({ description: 'Last four characters' }),
  created: moment(),
  last_used_at: Type.Optional(moment()),
}

const Token = Type.Object(
  {
    ...shared,
    client_id: optionalText('OAuth application that owns the token; absent for a token you created'),
    scopes: Type.Array(choice(scopeNames, 'A scope'), { description: 'What the token may do', examples: [['all']] }),
    group_guids: Type.Optional(
      Type.Array(Type.String(), { description: 'The only groups that it reaches; absent for all of yours' }),
    ),
    domains: Type.Optional(
      Type.Array(Type.String(), { description: 'The only domains whose short links it reaches; absent for all' }),
    ),
    expiration_at: Type.Optional(moment()),
    replaced_by: optionalText('The token that it was rotated to; it works until `expiration_at`'),
  },
  { title: 'AccessToken', description: 'An access token, without the secret' },
)
const NewToken = Type.Object(
  { ...Token.properties, access_token: Type.String({ description: 'Shown only once' }) },
  { description: 'The new token' },
)

const ApiKey = Type.Object(
  { ...shared, login: Type.String({ description: 'Login to send with the key' }) },
  { title: 'ApiKey', description: 'An API key, without the secret' },
)
const NewApiKey = Type.Object(
  { ...ApiKey.properties, api_key: Type.String({ description: 'Shown only once' }) },
  { description: 'The new key' },
)

const LabelBody = Type.Object({
  label: Type.Optional(Type.String({ ...emptyRemoves, ...labelBounds, description: 'Your label; may be empty' })),
})
const expiry = Type.Optional(
  Type.String({ ...timestampBounds, description: '`YYYY-MM-DDThh:mm:ss±hhmm`, in the future; never by default' }),
)
const TokenBody = Type.Object({
  label: Type.String({ ...newLabelBounds, description: 'What the token is for' }),
  scopes: Type.Optional(
    Type.Array(choice(scopeNames, scopeList), {
      ...bounds({ minItems: 1, maxItems: scopeNames.length }),
      description: 'What the token may do; `all` by default',
      examples: [['links:read', 'analytics:read']],
    }),
  ),
  group_guids: Type.Optional(
    Type.Array(Type.String(), {
      ...bounds({ minItems: 1, maxItems: maxTokenGroups }),
      description: `The only groups that it reaches, at most ${maxTokenGroups}; all of yours by default`,
    }),
  ),
  domains: Type.Optional(
    Type.Array(Type.String(), {
      ...bounds({ minItems: 1, maxItems: maxTokenDomains }),
      description: `The only domains whose short links it reaches, at most ${maxTokenDomains}; all by default`,
      examples: [['go.example.com']],
    }),
  ),
  expiration_at: expiry,
})
const RotateBody = Type.Object({
  overlap: Type.Optional(
    Type.Integer({
      ...bounds({ minimum: 0, maximum: maxOverlap / 1000 }),
      default: 0,
      description: 'Seconds for which the older secret stays valid, at most 30 days',
    }),
  ),
  expiration_at: Type.Optional(
    Type.String({ ...timestampBounds, description: 'Of the new secret; that of the older one by default' }),
  ),
})
const gone = { 204: Type.Null({ description: 'Revoked' }) }

export function userTokenRoutes(http: TypedFastify, deps: UserTokenRouteDeps): void {
  route(http, 'User', 'listUserTokens: GET /v4/user/tokens', {
    scope: 'all',
    list: { name: 'tokens', by: 'guid' },
    access: everybody,
    summary: 'List your access tokens, including those of OAuth applications',
    description:
      'Without their secrets, which are stored as hashes. `last_used_at` is absent for a token that was never used.',
    response: { 200: listAnswer('tokens', Token, 'Oldest first, without revoked ones') },
    answer: async ({ actor }) => ({ tokens: (await listOwnTokens(deps, actor)).map(presentToken) }),
  })

  route(http, 'User', 'createUserToken: POST /v4/user/tokens', {
    scope: 'all',
    access: everybody,
    summary: 'Create an access token',
    description:
      'A token may do what you may do, within its scopes, groups and domains, until it expires. Its secret is shown only in this ' +
      'answer. With a token that expires, only those can be created that do not expire later.',
    body: TokenBody,
    response: { 201: NewToken },
    answer: async ({ actor, body }) => {
      const { label, scopes, group_guids: groupGuids, domains, expiration_at: expires } = body
      const limits = { scopes, groupGuids, domains, expiresAt: momentOf(expires) }
      return presentNew(await createOwnToken(deps, actor, { label, ...limits }))
    },
  })

  route(http, 'User', 'rotateUserToken: POST /v4/user/tokens/:guid/rotate', {
    scope: 'all',
    access: everybody,
    summary: 'Replace an access token with a new one',
    description:
      'With the same label, scopes, groups and domains. The older one expires after `overlap`, and can be rotated once. Tokens of ' +
      'applications cannot be rotated.',
    body: RotateBody,
    response: { 201: NewToken, ...refusals(404, 409) },
    answer: async ({ actor, params, body }) => {
      const { overlap = 0, expiration_at: expires } = body
      const rotation = { overlap: overlap * 1000, expiresAt: momentOf(expires) }
      return presentNew(await rotateOwnToken(deps, actor, params.guid, rotation))
    },
  })

  route(http, 'User', 'getUserToken: GET /v4/user/tokens/:guid', {
    scope: 'all',
    access: everybody,
    summary: 'Get an access token',
    description: 'Without its secret.',
    response: { 200: Token, ...refusals(404) },
    answer: async ({ actor, params }) => presentToken(await readOwnToken(deps, actor, params.guid)),
  })

  route(http, 'User', 'updateUserToken: PATCH /v4/user/tokens/:guid', {
    scope: 'all',
    access: everybody,
    summary: 'Change the label of an access token',
    description: 'A label helps you to recognise the token later.',
    body: LabelBody,
    response: { 200: Token, ...refusals(404) },
    answer: async ({ actor, params, body }) => presentToken(await labelOwnToken(deps, actor, params.guid, body.label)),
  })

  const revokeToken = {
    summary: 'Revoke an access token',
    description: 'It stops working at once.',
    response: { ...gone, ...refusals(404) },
  }
  route(http, 'User', 'deleteUserToken: DELETE /v4/user/tokens/:guid', {
    scope: 'all',
    ...revokeToken,
    access: everybody,
    answer: ({ actor, params }) => revokeOwnToken(deps, actor, params.guid),
  })

  route(http, 'User', 'listUserApiKeys: GET /v4/user/api_keys', {
    scope: 'all',
    list: { name: 'api_keys', by: 'guid' },
    access: everybody,
    summary: 'List your API keys for the v3 API',
    description: 'Without their secrets, which are stored as hashes.',
    response: { 200: listAnswer('api_keys', ApiKey, 'Oldest first, without revoked ones') },
    answer: async ({ actor }) => ({ api_keys: (await listApiKeys(deps, actor)).map(presentKey) }),
  })

  route(http, 'User', 'createUserApiKey: POST /v4/user/api_keys', {
    scope: 'all',
    access: everybody,
    summary: 'Create an API key for the v3 API, used as `apiKey` with `login`',
    description: 'For clients of version 3 that cannot use an access token. The key is shown only in this answer.',
    body: LabelBody,
    response: { 201: NewApiKey },
    answer: async ({ actor, body }) => {
      const key = await createApiKey(deps, actor, { label: body.label })
      return { ...presentKey(key), api_key: key.apiKey }
    },
  })

  route(http, 'User', 'deleteUserApiKey: DELETE /v4/user/api_keys/:guid', {
    scope: 'all',
    ...revokeToken,
    access: everybody,
    summary: 'Revoke an API key',
    answer: ({ actor, params }) => revokeApiKey(deps, actor, params.guid),
  })
}

function presentToken(token: TokenRecord): Static<typeof Token> {
  const { clientId, scopes, groupGuids, domains, expiresAt, replacedBy } = token
  return {
    ...presentShared(token),
    ...(clientId !== undefined && { client_id: clientId }),
    scopes: [...scopes],
    ...(groupGuids && { group_guids: [...groupGuids] }),
    ...(domains && { domains: [...domains] }),
    ...(expiresAt !== undefined && { expiration_at: timestamp(expiresAt) }),
    ...(replacedBy !== undefined && { replaced_by: replacedBy }),
  }
}

function presentNew(token: CreatedOwnToken): Static<typeof NewToken> {
  return { ...presentToken(token), access_token: token.secret }
}

function momentOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const moment = parseTimestamp(text)
  if (!moment) throw invalid('expirationAt', 'Send the expiry as YYYY-MM-DDThh:mm:ss±hhmm.', 'tokens')
  return moment.at
}

function presentKey(key: ApiKeyRecord): Static<typeof ApiKey> {
  return { ...presentShared(key), login: key.login }
}

function presentShared({ guid, label, hint, createdAt, lastUsedAt }: TokenRecord | ApiKeyRecord) {
  const used = lastUsedAt === undefined ? {} : { last_used_at: timestamp(lastUsedAt) }
  return { guid, label, hint, created: timestamp(createdAt), ...used }
}
