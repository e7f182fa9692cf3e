/** The caller's e-mail address, password and second factor. An addition: the public service offers this only as web pages. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type EmailChangeDeps, requestEmailChange } from '../../core/sign-in/email-change.js'
import { changePassword, type ResetDeps } from '../../core/sign-in/passwords-reset.js'
import {
  confirmFactor,
  newRecoveryCodes,
  readTwoFactor,
  requestCode,
  startSms,
  startTotp,
  type TwoFactorDeps,
  turnOff,
} from '../../core/sign-in/two-factor.js'
import { timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { everybody } from './access.js'
import { secondProof } from './passkeys.js'
import { type BaseUrlDeps, route } from './route.js'
import { emailBounds, passwordBounds, phoneBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { mailDelivery, moment } from './schemas/fields.js'
import { ownSessionOf } from './user-sessions.js'

export type UserSecurityRouteDeps = EmailChangeDeps & ResetDeps & TwoFactorDeps & BaseUrlDeps

const password = Type.String({ description: 'Your current password' })

const EmailBody = Type.Object({
  email: Type.String({ ...emailBounds, description: 'Receives a mail with a link that works once, for an hour' }),
  password,
})
const PasswordBody = Type.Object({
  current_password: Type.String(),
  new_password: Type.String({ ...passwordBounds, description: '8 to 256 characters' }),
})
const ConfirmedBody = Type.Object({ password })
const ProofBody = Type.Object({ password, ...secondProof })
const SmsBody = Type.Object({
  ...ProofBody.properties,
  phone: Type.String({ ...phoneBounds, description: 'In international form: +4915123456789' }),
})
const CodeBody = Type.Object({ code: Type.String({ description: 'Six digits' }) })

const MailSent = Type.Object(
  { email: Type.String(), expires: moment(), delivery: mailDelivery },
  { description: 'The new address, until when its link works, and whether the link was sent' },
)
const State = Type.Object(
  {
    is_enabled: Type.Boolean({ description: 'Whether codes are on; passkeys are a second factor without them' }),
    method: Type.Optional(Type.String({ description: '`app` (authenticator app) or `sms`' })),
    phone_hint: Type.Optional(Type.String({ description: 'Last three digits of the phone number' })),
    recovery_codes_left: Type.Integer(),
    passkeys: Type.Integer({ description: 'How many there are' }),
  },
  { description: 'The second factor of your account' },
)
const AppSecret = Type.Object(
  {
    secret: Type.String({ description: 'To type into an authenticator app' }),
    otpauth_uri: Type.String({ description: 'The secret as a URI, to show as a QR code' }),
  },
  { description: 'Set-up data for the app; the second factor is off until a code confirms it' },
)
const RecoveryCodes = Type.Object(
  { recovery_codes: Type.Array(Type.String(), { description: 'Each works once, instead of a code' }) },
  { title: 'RecoveryCodes', description: 'Shown only once' },
)
const factors = [
  { by: 'app', name: 'App', summary: 'Confirm the authenticator app with its first code' },
  { by: 'sms', name: 'Sms', summary: 'Confirm SMS codes with the first code' },
] as const
const tag = 'User'
const nothing = (description: string) => ({ 204: Type.Null({ description }) })

export function userSecurityRoutes(http: TypedFastify, deps: UserSecurityRouteDeps): void {
  const proofOf = <Body extends object>(request: Pick<FastifyRequest, 'headers'> & { readonly body: Body }) => {
    return { ...request.body, browser: ownSessionOf(deps, request) }
  }

  route(http, tag, 'updateUserEmail: POST /v4/user/email', {
    scope: 'all',
    access: everybody,
    summary: 'Change your e-mail address',
    description:
      'Sends a link to the new address. Without a mail server, `delivery` is `not_sent`, and the operator can set the address. The address changes when the link is followed; until then the former one stays. A new request replaces an earlier one. At most five an hour.',
    body: EmailBody,
    response: { 202: MailSent },
    answer: async ({ actor, body }) => {
      const { email, expiresAt, delivery } = await requestEmailChange(deps, actor, body)
      return { email, expires: timestamp(expiresAt), delivery }
    },
  })

  route(http, tag, 'updateUserPassword: PATCH /v4/user/password', {
    scope: 'all',
    access: everybody,
    summary: 'Change your password',
    description: 'Signs out all browsers. Access tokens stay valid.',
    body: PasswordBody,
    response: { ...nothing('The password was changed') },
    answer: async ({ actor, body }) => {
      await changePassword(deps, actor, { current: body.current_password, next: body.new_password })
    },
  })

  route(http, tag, 'getUserTwoFactor: GET /v4/user/two_factor', {
    scope: 'all',
    access: everybody,
    summary: 'Get the second factor of your account',
    description: 'Whether it is on, how codes are made, and how many recovery codes are left.',
    response: { 200: State },
    answer: async ({ actor }) => {
      const { by, phoneHint, recoveryCodesLeft, passkeys } = await readTwoFactor(deps, actor)
      return {
        is_enabled: by !== undefined,
        ...(by !== undefined && { method: by }),
        ...(phoneHint !== undefined && { phone_hint: phoneHint }),
        recovery_codes_left: recoveryCodesLeft,
        passkeys,
      }
    },
  })

  route(http, tag, 'startUserTwoFactorApp: POST /v4/user/two_factor/app', {
    scope: 'all',
    access: everybody,
    summary: 'Start the set-up of an authenticator app',
    description: 'Returns a secret for the app. The second factor stays off until the first code confirms it.',
    body: ProofBody,
    response: { 200: AppSecret, ...refusals(409) },
    answer: async (request) => {
      const { secret, otpauthUri } = await startTotp(deps, request.actor, proofOf(request))
      return { secret, otpauth_uri: otpauthUri }
    },
  })

  for (const { by, name, summary } of factors) {
    route(http, tag, `confirmUserTwoFactor${name}: POST /v4/user/two_factor/${by}/confirm`, {
      scope: 'all',
      access: everybody,
      summary,
      description: 'Turns the second factor on, and returns recovery codes. They are shown only in this answer.',
      body: CodeBody,
      response: { 200: RecoveryCodes },
      answer: async ({ actor, body }) => ({ recovery_codes: [...(await confirmFactor(deps, actor, by, body.code))] }),
    })
  }

  route(http, tag, 'startUserTwoFactorSms: POST /v4/user/two_factor/sms', {
    scope: 'all',
    access: everybody,
    summary: 'Start the set-up of SMS codes; sends the first code',
    description: 'The second factor stays off until the first code confirms it.',
    body: SmsBody,
    response: {
      200: Type.Object({ phone: Type.String() }, { description: 'Where the code was sent' }),
      ...refusals(409),
    },
    answer: async (request) => startSms(deps, request.actor, proofOf(request)),
  })

  route(http, tag, 'sendUserTwoFactorCode: POST /v4/user/two_factor/code', {
    scope: 'all',
    access: everybody,
    summary: 'Send a code by SMS',
    description: 'To confirm a change of the second factor. Only if codes are sent by SMS.',
    body: ConfirmedBody,
    response: { ...nothing('The code was sent'), ...refusals(409) },
    answer: ({ actor, body }) => requestCode(deps, actor, body),
  })

  route(http, tag, 'renewUserRecoveryCodes: POST /v4/user/two_factor/recovery_codes', {
    scope: 'all',
    access: everybody,
    summary: 'Replace the recovery codes',
    description:
      'The old ones stop working. The new ones are shown only in this answer. Asks for the password, and for a code or a passkey.',
    body: ProofBody,
    response: { 200: RecoveryCodes, ...refusals(409) },
    answer: async (request) => ({
      recovery_codes: [...(await newRecoveryCodes(deps, request.actor, proofOf(request)))],
    }),
  })

  route(http, tag, 'disableUserTwoFactor: DELETE /v4/user/two_factor', {
    scope: 'all',
    access: everybody,
    summary: 'Turn off codes of an app or SMS',
    description:
      'Signing in then needs the password alone, unless there are passkeys. Asks for the password, and for a code or a passkey.',
    body: ProofBody,
    response: { ...nothing('The second factor is off'), ...refusals(409) },
    answer: (request) => turnOff(deps, request.actor, proofOf(request)),
  })
}
