/** The passkeys of the caller. An addition: the public service has none. */
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Passkey } from '../../core/accounts/passkey-store.js'
import {
  addOwnPasskey,
  listOwnPasskeys,
  maxPasskeyName,
  maxPasskeys,
  type OwnPasskeyDeps,
  optionsToAdd,
  optionsToConfirm,
  removeOwnPasskey,
  renameOwnPasskey,
} from '../../core/sign-in/own-passkeys.js'
import { timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { bounds } from '../http/validation.js'
import { everybody } from './access.js'
import { type BaseUrlDeps, route } from './route.js'
import { refusals } from './schemas/error.js'
import { moment, optionalText } from './schemas/fields.js'
import { listAnswer } from './schemas/lists.js'
import { ownSessionOf } from './user-sessions.js'

export type PasskeyRouteDeps = OwnPasskeyDeps & BaseUrlDeps

const guid = { description: 'Guid of the passkey', examples: ['k5Tq8Wb3Zn1'] }

const PasskeyBody = Type.Object(
  {
    guid: Type.String(guid),
    name: Type.String({ examples: ['Laptop'] }),
    created: moment(),
    last_used_at: Type.Optional(moment()),
  },
  { title: 'Passkey', description: 'A passkey, without its key' },
)
const NewPasskey = Type.Object(
  {
    ...PasskeyBody.properties,
    recovery_codes: Type.Optional(
      Type.Array(Type.String(), { description: 'Of your first second factor; shown only once. Each works once' }),
    ),
  },
  { description: 'The new passkey' },
)

const credential = { id: 'AQIDBA', rawId: 'AQIDBA', type: 'public-key', response: { clientDataJSON: 'eyJ0eXBlIjoi' } }

/** What the browser reads and gives (WebAuthn Level 3). */
const json = (description: string, example: object = credential) =>
  Type.Record(Type.String(), Type.Unknown(), { description, examples: [example] })
const Options = Type.Object(
  {
    public_key: json('JSON of `PublicKeyCredentialCreationOptions` or `PublicKeyCredentialRequestOptions`', {
      challenge: 'q83vEjRWeJCrze8SNFZ4kA',
      rpId: 'links.example.com',
    }),
  },
  { description: 'Options for the browser. They can be answered once, for five minutes, in the same session' },
)
const name = Type.String({
  ...bounds({ minLength: 1, maxLength: maxPasskeyName }),
  description: `1 to ${maxPasskeyName} characters`,
})

/** What a change of the account needs beside the password, once there is a second factor. */
export const secondProof = {
  code: optionalText('With a second factor: a code from the authenticator app or SMS, or a recovery code'),
  passkey: Type.Optional(json('Or the JSON of the credential that answers `POST /v4/user/passkeys/confirmation`')),
}
const ProofBody = Type.Object({ password: Type.String({ description: 'Your current password' }), ...secondProof })
const AddBody = Type.Object({ name, credential: json('JSON of the credential that the browser created') })

export function passkeyRoutes(http: TypedFastify, deps: PasskeyRouteDeps): void {
  const tag = 'User'
  const params = { passkey_guid: Type.String(guid) }
  const browserOf = (request: Pick<FastifyRequest, 'headers'>) => ownSessionOf(deps, request) ?? ''

  route(http, tag, 'listUserPasskeys: GET /v4/user/passkeys', {
    scope: 'all',
    list: { name: 'passkeys', by: 'guid' },
    access: everybody,
    summary: 'List your passkeys',
    description: `At most ${maxPasskeys}. Each is a second factor, and signs in without login and password.`,
    response: { 200: listAnswer('passkeys', PasskeyBody, 'Oldest first') },
    answer: async ({ actor }) => ({ passkeys: (await listOwnPasskeys(deps, actor)).map(presentPasskey) }),
  })

  route(http, tag, 'confirmWithUserPasskey: POST /v4/user/passkeys/confirmation', {
    scope: 'all',
    access: everybody,
    summary: 'Get options to confirm a change with a passkey',
    description: 'The answer of the browser is the `passkey` of operations that ask for a code or a passkey.',
    response: { 200: Options },
    answer: async (request) => ({ public_key: await optionsToConfirm(deps, request.actor, browserOf(request)) }),
  })

  route(http, tag, 'startUserPasskey: POST /v4/user/passkeys/options', {
    scope: 'all',
    access: everybody,
    summary: 'Get options to create a passkey',
    description: 'Asks for the password and, with a second factor, for a code or a passkey.',
    body: ProofBody,
    response: { 200: Options, ...refusals(409) },
    answer: async (request) => {
      const proof = { ...request.body, browser: browserOf(request) }
      return { public_key: await optionsToAdd(deps, request.actor, proof) }
    },
  })

  route(http, tag, 'createUserPasskey: POST /v4/user/passkeys', {
    scope: 'all',
    access: everybody,
    summary: 'Add the passkey that the browser created',
    description:
      'From then on, signing in with the password asks for a passkey or a code. The first second factor comes with recovery codes, in this answer only.',
    body: AddBody,
    response: { 201: NewPasskey, ...refusals(409) },
    answer: async (request) => {
      const given = { ...request.body, browser: browserOf(request) }
      const { passkey, recoveryCodes } = await addOwnPasskey(deps, request.actor, given)
      return { ...presentPasskey(passkey), ...(recoveryCodes && { recovery_codes: [...recoveryCodes] }) }
    },
  })

  route(http, tag, 'updateUserPasskey: PATCH /v4/user/passkeys/:passkey_guid', {
    scope: 'all',
    access: everybody,
    summary: 'Rename a passkey',
    description: 'Only here: devices keep the name that they gave it.',
    params,
    body: Type.Object({ name }),
    response: { 200: PasskeyBody, ...refusals(404) },
    answer: async ({ actor, params, body }) =>
      presentPasskey(await renameOwnPasskey(deps, actor, params.passkey_guid, body.name)),
  })

  route(http, tag, 'deleteUserPasskey: DELETE /v4/user/passkeys/:passkey_guid', {
    scope: 'all',
    access: everybody,
    summary: 'Remove a passkey',
    description:
      'Asks for the password, and for a code or a passkey. With the last second factor the recovery codes are deleted: then the password alone signs in.',
    params,
    body: ProofBody,
    response: { 204: Type.Null({ description: 'It does not sign in any more' }), ...refusals(404) },
    answer: (request) => {
      const proof = { ...request.body, browser: browserOf(request) }
      return removeOwnPasskey(deps, request.actor, request.params.passkey_guid, proof)
    },
  })
}

function presentPasskey({ guid, name, createdAt, lastUsedAt }: Passkey): Static<typeof PasskeyBody> {
  return {
    guid,
    name,
    created: timestamp(createdAt),
    ...(lastUsedAt !== undefined && { last_used_at: timestamp(lastUsedAt) }),
  }
}
