/** Sign-in, two-factor where enabled, and sign-out. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endSessionUrl } from '../../core/identity-providers/provider-sessions.js'
import type { ProviderDeps } from '../../core/identity-providers/provider-sign-in.js'
import { type CheckDeps, checkAuthorization } from '../../core/oauth/authorize.js'
import { isSelfRegistered } from '../../core/oauth/self-registered.js'
import { canHavePasskeys, type PasskeyDeps, passkeyRefusals, signInByPasskey } from '../../core/sign-in/passkeys.js'
import {
  beginHalfSession,
  endHalfSession,
  endSession,
  findHalfSession,
  type HalfSession,
  hashSecret,
} from '../../core/sign-in/sessions.js'
import { type SignInDeps, type SignInOutcome, signIn, signInByCode } from '../../core/sign-in/sign-in.js'
import { clientIpOf } from '../http/client-ip.js'
import { Fields, formOf, queryOf } from '../http/form-body.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { authorizationIn } from './authorize.js'
import { browserSecret, csrfOf, field, hiddenCsrf, problem, requireCsrf, requireOwnForm } from './form.js'
import { type Html, html, sendPage } from './layout.js'
import { credentialOf, type PasskeyStep, passkeyForm, stepOf, tooLate } from './passkey.js'
import { providerButtons } from './provider.js'
import {
  currentSession,
  dropCookie,
  homePath,
  nextOf,
  type PageSessionDeps,
  startSession,
  withNext,
} from './session.js'

export type SignInPageDeps = PageSessionDeps &
  SignInDeps &
  PasskeyDeps &
  ProviderDeps &
  CheckDeps & {
    readonly config: { readonly trustProxy: number; readonly passwordLogin: 'on' | 'off' } & DemoConfig
  }

interface DemoConfig {
  /** On: the form has the login and the password of the first account filled in. */
  readonly demo: 'on' | 'off'
  readonly adminLogin: string | undefined
  readonly adminPassword: string | undefined
}

export function signInRoutes(http: TypedFastify, deps: SignInPageDeps): void {
  const hidden = { schema: { hide: true } }

  http.get('/account/sign-in', hidden, async (request, reply) => {
    const next = nextOf(queryOf(request))
    if (await currentSession(deps, request, reply)) return reply.redirect(next, 303)
    const automatic = deps.identityProviders.find(({ settings }) => settings.autoRedirect)
    // Not after a failure, which would lead there again, nor when somebody wants to choose.
    if (automatic && queryOf(request).get('choose') === undefined) {
      return reply.redirect(withNext(`/account/sign-in/with/${automatic.settings.id}`, next), 303)
    }
    const { demo, adminLogin, adminPassword } = deps.config
    const filledIn = demo === 'on' && { login: adminLogin, password: adminPassword }
    return sendSignIn(deps, request, reply, { status: 200, ...filledIn })
  })

  http.post('/account/sign-in', hidden, async (request, reply) => {
    const browser = requireOwnForm(deps.config, request)
    const login = formOf(request).get('login') ?? ''
    const password = formOf(request).get('password') ?? ''
    const outcome = await signIn(deps, { login, password, code: undefined, ...from(deps, request) })
    if (outcome.outcome === 'signed-in') return goOn(deps, request, reply, outcome.login)
    if (outcome.outcome === 'code-wanted') {
      await beginHalfSession(deps, browser, outcome.login)
      const half = await findHalfSession(deps, browser)
      if (!half) throw tooLate()
      return sendTwoFactor(deps, request, reply, { browser, half, sms: outcome.sms, status: 200 })
    }
    const { status, problem, headers } = refusal(outcome, 'The login or password is incorrect.')
    return sendSignIn(deps, request, reply, { status, problem, headers, login })
  })

  http.get('/account/two-factor', hidden, async (request, reply) =>
    reply.redirect(withNext('/account/sign-in', nextOf(queryOf(request))), 303),
  )

  http.post('/account/two-factor', hidden, async (request, reply) => {
    const browser = requireOwnForm(deps.config, request)
    const half = await findHalfSession(deps, browser)
    if (!half) throw tooLate()
    const code = formOf(request).get('code') ?? ''
    const outcome = await signInByCode(deps, { login: half.login, code, ...from(deps, request) })
    if (outcome.outcome === 'signed-in') {
      await endHalfSession(deps, browser)
      return goOn(deps, request, reply, outcome.login)
    }
    const refused = outcome.outcome === 'code-wanted' ? wrongCode : refusal(outcome, wrongCode.problem)
    return sendTwoFactor(deps, request, reply, { browser, half, ...refused })
  })

  // Alone, or as the second step.
  http.post('/account/passkey', hidden, async (request, reply) => {
    const { browser, half } = await stepOf(deps, request)
    const credential = credentialOf(request)
    const { address } = from(deps, request)
    const outcome = await signInByPasskey(deps, { browser, address, secondStepOf: half?.login, credential })
    if (outcome.outcome === 'signed-in') {
      await endHalfSession(deps, browser)
      return goOn(deps, request, reply, outcome.login)
    }
    const { why, detail } = outcome
    request.log.warn({ why, detail }, 'a sign-in with a passkey was refused')
    const refused = { status: 403, problem: passkeyRefusals[why] }
    if (half) return sendTwoFactor(deps, request, reply, { browser, half, ...refused })
    return sendSignIn(deps, request, reply, { ...refused, step: 'again' })
  })

  http.post('/account/sign-out', hidden, async (request, reply) => {
    const next = nextOf(queryOf(request))
    const session = await currentSession(deps, request, reply)
    if (session) {
      requireCsrf(request, session.csrf)
      const there = next === homePath ? await endSessionUrl(deps, hashSecret(session.secret)) : undefined
      await endSession(deps, session.secret)
      dropCookie(deps, reply)
      // A link, since a form of a page must not lead to another site.
      if (there) return sendSignedOut(reply, there)
    }
    return reply.redirect(next === homePath ? '/account/signed-out' : next, 303)
  })

  // For the dashboard: who is signed in, and the CSRF value to send with requests to the API.
  http.get('/account/session', hidden, async (request, reply) => {
    const session = await currentSession(deps, request, reply)
    if (!session) return reply.code(401).send({ message: 'SESSION_EXPIRED' })
    return { login: session.login, csrf: session.csrf }
  })

  http.get('/account/signed-out', hidden, async (_request, reply) => sendSignedOut(reply, undefined))

  http.get('/account', hidden, async (_request, reply) => reply.redirect('/app/account', 303))
}

/** `there`: the identity provider, where the user is still signed in. */
function sendSignedOut(reply: FastifyReply, there: { readonly name: string; readonly url: string } | undefined) {
  const also = there && html`<a class="go" href="${there.url}">Sign out of ${there.name} too</a>`
  return sendPage(reply, {
    title: 'You are signed out',
    content: html`<p>Applications that you allowed keep their access until their tokens are revoked.</p>
<div class="choices">${also}<a class="${there ? 'also' : 'go'}" href="/account/sign-in">Sign in again</a></div>`,
  })
}

function from(deps: SignInPageDeps, request: FastifyRequest): { address: string; through: 'browser' } {
  return { address: clientIpOf(request, deps.config), through: 'browser' }
}

async function goOn(
  deps: SignInPageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  login: string,
): Promise<FastifyReply> {
  await startSession(deps, request, reply, login)
  return reply.redirect(nextOf(queryOf(request)), 303)
}

interface Refused {
  readonly status: number
  readonly problem: string
  readonly headers?: Readonly<Record<string, string>>
}

// 403, because a 401 needs a WWW-Authenticate header, for which browsers open their own dialog.
const wrongCode: Refused = { status: 403, problem: 'This code is incorrect or was already used.' }

function refusal(outcome: SignInOutcome, wrong: string): Refused {
  if (outcome.outcome === 'no-passwords') return { status: 403, problem: noPasswords }
  if (outcome.outcome !== 'throttled') return { status: 403, problem: wrong }
  const { retryAfter } = outcome
  const minutes = Math.max(1, Math.ceil(retryAfter / 60))
  const wait = `Too many attempts. Please wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`} and try again.`
  return { status: 429, problem: wait, headers: { 'retry-after': String(retryAfter) } }
}

const noPasswords = 'Passwords are not used here. Sign in with one of the buttons.'

interface SignInShown {
  readonly status: number
  readonly problem?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly login?: string | undefined
  readonly password?: string | undefined
  readonly step?: PasskeyStep
}

async function sendSignIn(
  deps: SignInPageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, problem: wrong, headers = {}, login, password, step = 'alone' }: SignInShown,
): Promise<FastifyReply> {
  const next = nextOf(queryOf(request))
  const browser = browserSecret(deps.config, request, reply)
  const csrf = csrfOf(browser)
  const form = html`<form method="post" action="${withNext('/account/sign-in', next)}">${hiddenCsrf(csrf)}
${field({ name: 'login', label: 'Login or e-mail address', autocomplete: 'username webauthn', value: login, autofocus: login === undefined })}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', value: password, autofocus: login !== undefined })}
<button>Sign in</button></form>
${passkeyForm(deps, { browser, next, step })}
<p class="aside"><a href="/account/forgot-password">Forgot your password?</a></p>`
  const passwords = deps.config.passwordLogin === 'on'
  return sendPage(reply, {
    status,
    headers,
    hasScript: canHavePasskeys(deps.config),
    title: 'Sign in',
    content: html`${await purpose(deps, next)}${problem(wrong)}
${providerButtons(deps.identityProviders, next)}${passwords ? form : undefined}`,
  })
}

/** The application that waits for the sign-in, if any. */
async function purpose(deps: CheckDeps, next: string): Promise<Html | undefined> {
  const [path, query] = next.split('?', 2)
  if (path !== '/oauth/authorize' || query === undefined) return undefined
  const authorization = await checkAuthorization(deps, authorizationIn(new Fields(query)))
  // Anybody can choose the name of an application that registered itself; the next page says so.
  return authorization.outcome === 'acceptable' && !isSelfRegistered(authorization.client.clientId)
    ? html`<p>To continue to <strong>${authorization.client.name}</strong>.</p>`
    : undefined
}

interface TwoFactorShown {
  readonly browser: string
  readonly half: HalfSession
  readonly sms?: keyof typeof smsLeads | undefined
  readonly status: number
  readonly problem?: string
  readonly headers?: Readonly<Record<string, string>>
}

const smsLeads = {
  sent: 'We have sent you a code by SMS.',
  recent: 'We sent you a code by SMS a moment ago. For another one, sign in again in 30 seconds.',
  failed: 'The SMS with your code could not be sent. Use a recovery code, or sign in again later.',
}

function sendTwoFactor(
  deps: SignInPageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  shown: TwoFactorShown,
): FastifyReply {
  const { browser, half, sms, status, problem: wrong, headers = {} } = shown
  const next = nextOf(queryOf(request))
  const leads = {
    sms: sms ? smsLeads[sms] : 'Enter the code that you received by SMS.',
    app: 'Open your authenticator app and enter its code.',
    passkey: 'Use your passkey.',
  }
  const onlyPasskeys = half.by === 'passkey'
  const lost = onlyPasskeys
    ? 'No passkey at hand? Use one of your recovery codes.'
    : 'No phone at hand? You can also use a recovery code.'
  return sendPage(reply, {
    status,
    headers,
    hasScript: half.hasPasskeys,
    title: 'One more step',
    content: html`<p>${leads[half.by]}</p>${problem(wrong)}
${half.hasPasskeys ? passkeyForm(deps, { browser, next, step: 'second' }) : undefined}
<form method="post" action="${withNext('/account/two-factor', next)}">
${hiddenCsrf(csrfOf(browser))}
${field({ name: 'code', label: onlyPasskeys ? 'Recovery code' : 'Code', autocomplete: 'one-time-code', hint: lost, autofocus: !onlyPasskeys })}
<button${onlyPasskeys ? html` class="also"` : undefined}>Continue</button></form>
${onlyPasskeys ? html`<noscript><p class="aside">Passkeys need scripts, which are off in this browser.</p></noscript>` : undefined}`,
  })
}
