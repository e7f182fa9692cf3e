/** Access tokens and legacy keys, for their owner. Our choice: the public service has pages for this and no operations. */
import { type Static, Type } from 'typebox'
import type { ApiKeyRecord, TokenRecord } from '../../core/accounts/account.js'
import { type ApiKeyDeps, createApiKey, listApiKeys, revokeApiKey } from '../../core/sign-in/api-keys.js'
import {
  createOwnToken,
  labelOwnToken,
  listOwnTokens,
  type OwnTokenDeps,
  revokeOwnToken,
} from '../../core/sign-in/own-tokens.js'
import { emptyRemoves } from '../http/json-body.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { ownToken } from './access.js'
import { timestamp } from './present.js'
import { route } from './route.js'
import { labelBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { moment } from './schemas/moment.js'

export type UserTokenRouteDeps = OwnTokenDeps & ApiKeyDeps

const shared = {
  guid: Type.String(),
  label: Type.String({ description: 'What it is for, in your words' }),
  hint: Type.String({ description: 'The last four characters' }),
  created: moment(),
  last_used_at: Type.Optional(moment()),
}

const Token = Type.Object(
  {
    ...shared,
    client_id: Type.Optional(Type.String({ description: 'The application it was given to; absent for one you made' })),
  },
  { description: 'A token, without its secret' },
)
const NewToken = Type.Object(
  { ...Token.properties, access_token: Type.String({ description: 'Shown now and never again' }) },
  { description: 'The new token' },
)

const ApiKey = Type.Object(
  { ...shared, login: Type.String({ description: 'Sent beside the key' }) },
  { description: 'A key, without its secret' },
)
const NewApiKey = Type.Object(
  { ...ApiKey.properties, api_key: Type.String({ description: 'Shown now and never again' }) },
  { description: 'The new key' },
)

const LabelBody = Type.Object({
  label: Type.Optional(
    Type.String({ ...emptyRemoves, ...labelBounds, description: 'What it is for, in your words; may be empty' }),
  ),
})
const GuidPath = Type.Object({ guid: Type.String() })
const gone = { 204: Type.Null({ description: 'It is useless from now on' }) }

export function userTokenRoutes(http: TypedFastify, deps: UserTokenRouteDeps): void {
  route(http, 'GET /v4/user/tokens', {
    access: ownToken,
    schema: {
      operationId: 'getUserTokens',
      tags: ['User'],
      summary: 'List your access tokens, also those that applications were given',
      response: {
        200: Type.Object({ tokens: Type.Array(Token) }, { description: 'Oldest first, without revoked ones' }),
        ...refusals(403),
      },
    },
    answer: async ({ actor }) => ({
      tokens: (await listOwnTokens(deps, actor)).map(presentToken),
    }),
  })

  route(http, 'POST /v4/user/tokens', {
    access: ownToken,
    schema: {
      operationId: 'createUserToken',
      tags: ['User'],
      summary: 'Make an access token',
      body: LabelBody,
      response: { 201: NewToken, ...refusals(400, 403, 406, 413, 422) },
    },
    status: 201,
    answer: async ({ actor, body }) => {
      const token = await createOwnToken(deps, actor, { label: body.label })
      return { ...presentToken(token), access_token: token.secret }
    },
  })

  route(http, 'PATCH /v4/user/tokens/:guid', {
    access: ownToken,
    schema: {
      operationId: 'updateUserToken',
      tags: ['User'],
      summary: 'Change the label of one of your access tokens',
      params: GuidPath,
      body: LabelBody,
      response: { 200: Token, ...refusals(400, 403, 404, 406, 413, 422) },
    },
    answer: async ({ actor, params, body }) => presentToken(await labelOwnToken(deps, actor, params.guid, body.label)),
  })

  const revokeToken = {
    operationId: 'revokeUserToken',
    tags: ['User'],
    summary: 'Make one of your access tokens useless at once',
    params: GuidPath,
    response: { ...gone, ...refusals(403, 404) },
  }
  route(http, 'DELETE /v4/user/tokens/:guid', {
    access: ownToken,
    schema: revokeToken,
    status: 204,
    answer: async ({ actor, params }) => {
      await revokeOwnToken(deps, actor, params.guid)
    },
  })

  route(http, 'GET /v4/user/api_keys', {
    access: ownToken,
    schema: {
      operationId: 'getUserApiKeys',
      tags: ['User'],
      summary: 'List your legacy keys for version 3',
      response: {
        200: Type.Object({ api_keys: Type.Array(ApiKey) }, { description: 'Oldest first, without revoked ones' }),
        ...refusals(403),
      },
    },
    answer: async ({ actor }) => ({
      api_keys: (await listApiKeys(deps, actor)).map(presentKey),
    }),
  })

  route(http, 'POST /v4/user/api_keys', {
    access: ownToken,
    schema: {
      operationId: 'createUserApiKey',
      tags: ['User'],
      summary: 'Make a legacy key, which version 3 takes as `apiKey` beside `login`',
      body: LabelBody,
      response: { 201: NewApiKey, ...refusals(400, 403, 406, 413, 422) },
    },
    status: 201,
    answer: async ({ actor, body }) => {
      const key = await createApiKey(deps, actor, { label: body.label })
      return { ...presentKey(key), api_key: key.apiKey }
    },
  })

  route(http, 'DELETE /v4/user/api_keys/:guid', {
    access: ownToken,
    schema: { ...revokeToken, operationId: 'revokeUserApiKey', summary: 'Make one of your legacy keys useless' },
    status: 204,
    answer: async ({ actor, params }) => {
      await revokeApiKey(deps, actor, params.guid)
    },
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
