/** Access tokens and v3 API keys of the caller. An addition: the public service offers this only as web pages. */

import { type Static, Type } from 'typebox'
import type { ApiKeyRecord, TokenRecord } from '../../core/accounts/account.js'
import { type ApiKeyDeps, createApiKey, listApiKeys, revokeApiKey } from '../../core/sign-in/api-keys.js'
import {
  createOwnToken,
  labelOwnToken,
  listOwnTokens,
  type OwnTokenDeps,
  readOwnToken,
  revokeOwnToken,
} from '../../core/sign-in/own-tokens.js'
import { timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { emptyRemoves } from '../http/validation.js'
import { everybody } from './access.js'
import { route } from './route.js'
import { labelBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { moment, optionalText } from './schemas/fields.js'
import { listAnswer } from './schemas/lists.js'

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
const gone = { 204: Type.Null({ description: 'Revoked' }) }

export function userTokenRoutes(http: TypedFastify, deps: UserTokenRouteDeps): void {
  route(http, 'User', 'listUserTokens: GET /v4/user/tokens', {
    list: { name: 'tokens', by: 'guid' },
    access: everybody,
    summary: 'List your access tokens, including those of OAuth applications',
    description:
      'Without their secrets, which are stored as hashes. `last_used_at` is absent for a token that was never used.',
    response: { 200: listAnswer('tokens', Token, 'Oldest first, without revoked ones') },
    answer: async ({ actor }) => ({ tokens: (await listOwnTokens(deps, actor)).map(presentToken) }),
  })

  route(http, 'User', 'createUserToken: POST /v4/user/tokens', {
    access: everybody,
    summary: 'Create an access token',
    description: 'A token may do everything that you may do. Its secret is shown only in this answer.',
    body: LabelBody,
    response: { 201: NewToken },
    answer: async ({ actor, body }) => {
      const token = await createOwnToken(deps, actor, { label: body.label })
      return { ...presentToken(token), access_token: token.secret }
    },
  })

  route(http, 'User', 'getUserToken: GET /v4/user/tokens/:guid', {
    access: everybody,
    summary: 'Get an access token',
    description: 'Without its secret.',
    response: { 200: Token, ...refusals(404) },
    answer: async ({ actor, params }) => presentToken(await readOwnToken(deps, actor, params.guid)),
  })

  route(http, 'User', 'updateUserToken: PATCH /v4/user/tokens/:guid', {
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
    ...revokeToken,
    access: everybody,
    answer: ({ actor, params }) => revokeOwnToken(deps, actor, params.guid),
  })

  route(http, 'User', 'listUserApiKeys: GET /v4/user/api_keys', {
    list: { name: 'api_keys', by: 'guid' },
    access: everybody,
    summary: 'List your API keys for the v3 API',
    description: 'Without their secrets, which are stored as hashes.',
    response: { 200: listAnswer('api_keys', ApiKey, 'Oldest first, without revoked ones') },
    answer: async ({ actor }) => ({ api_keys: (await listApiKeys(deps, actor)).map(presentKey) }),
  })

  route(http, 'User', 'createUserApiKey: POST /v4/user/api_keys', {
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
    ...revokeToken,
    access: everybody,
    summary: 'Revoke an API key',
    answer: ({ actor, params }) => revokeApiKey(deps, actor, params.guid),
  })
}

function presentToken(token: TokenRecord): Static<typeof Token> {
  return { ...presentShared(token), ...(token.clientId !== undefined && { client_id: token.clientId }) }
}

function presentKey(key: ApiKeyRecord): Static<typeof ApiKey> {
  return { ...presentShared(key), login: key.login }
}

function presentShared({ guid, label, hint, createdAt, lastUsedAt }: TokenRecord | ApiKeyRecord) {
  const used = lastUsedAt === undefined ? {} : { last_used_at: timestamp(lastUsedAt) }
  return { guid, label, hint, created: timestamp(createdAt), ...used }
}
