/** Signing in with an identity provider: the way there, the way back, and the notice that somebody signed out there. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type IdentityProvider, ProviderFailure } from '../../core/identity-providers/provider.js'
import { endByProvider } from '../../core/identity-providers/provider-sessions.js'
import {
  beginProviderSignIn,
  finishProviderSignIn,
  type ProviderDeps,
  type ProviderRefusal,
} from '../../core/identity-providers/provider-sign-in.js'
import { clientIpOf } from '../http/client-ip.js'
import { formOf, queryOf } from '../http/form-body.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { PageError } from './errors.js'
import { browserSecret, knownBrowser } from './form.js'
import { type Html, html, sendPage } from './layout.js'
import { homePath, nextOf, type PageSessionDeps, startSession, withNext } from './session.js'

export type ProviderPageDeps = PageSessionDeps & ProviderDeps & { readonly config: { readonly trustProxy: number } }

export function providerRoutes(http: TypedFastify, deps: ProviderPageDeps): void {
  const hidden = { schema: { hide: true } }
  const path = '/account/sign-in/with/:provider'

  http.get(path, hidden, async (request, reply) => {
    const provider = providerIn(deps, request)
    const browser = browserSecret(deps.config, request, reply)
    const address = clientIpOf(request, deps.config)
    const begun = await beginProviderSignIn(deps, provider, { browser, next: nextOf(queryOf(request)), address })
    if (begun.outcome === 'refused') return sendRefusal(request, reply, provider, begun)
    return reply.redirect(begun.url, 303)
  })

  http.get(`${path}/callback`, hidden, async (request, reply) => {
    const provider = providerIn(deps, request)
    const outcome = await finishProviderSignIn(deps, provider, {
      browser: knownBrowser(deps.config, request),
      parameters: new URLSearchParams(request.raw.url?.split('?', 2)[1] ?? ''),
      address: clientIpOf(request, deps.config),
    })
    if (outcome.outcome === 'refused') return sendRefusal(request, reply, provider, outcome)
    await startSession(deps, request, reply, outcome.login, outcome.provided)
    // It was one of our pages when the sign-in began, and was kept here since.
    return reply.redirect(outcome.next, 303)
  })

  // Back-channel logout (OpenID Connect Back-Channel Logout 1.0): sent by the server of the provider.
  http.post(`${path}/logout`, hidden, async (request, reply) => {
    const provider = providerIn(deps, request)
    try {
      await endByProvider(deps, provider, formOf(request).get('logout_token') ?? '')
      return reply.code(200).send()
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error
      request.log.warn({ provider: provider.settings.id, detail: error.message }, 'refused a logout token')
      return reply.code(error.reason === 'away' ? 503 : 400).send({ error: 'invalid_request' })
    }
  })
}

/** Buttons of the sign-in page. */
export function providerButtons(providers: readonly IdentityProvider[], next: string): Html | undefined {
  if (providers.length === 0) return undefined
  const buttons = providers.map(
    ({ settings: { id, name } }) =>
      html`<a class="also" href="${withNext(`/account/sign-in/with/${id}`, next)}">Sign in with ${name}</a>`,
  )
  return html`<div class="choices">${buttons}</div>`
}

function providerIn({ identityProviders }: ProviderPageDeps, request: FastifyRequest): IdentityProvider {
  const { provider: id } = request.params as { readonly provider: string }
  const provider = identityProviders.find(({ settings }) => settings.id === id)
  if (!provider) throw new PageError(404, 'There is no such sign-in', 'Go to the sign-in page and choose again.')
  return provider
}

function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  { settings: { id, name } }: IdentityProvider,
  { why, detail }: { readonly why: ProviderRefusal; readonly detail: string },
): FastifyReply {
  request.log.warn({ provider: id, why, detail }, 'a sign-in with an identity provider was refused')
  const { status, title, advice } = providerRefusals[why]
  return sendPage(reply, {
    status,
    title: title.replace('{name}', name),
    content: html`<p>${advice.replace('{name}', name)}</p>
<a class="go" href="${withNext('/account/sign-in', homePath)}?choose=1">Back to the sign-in page</a>`,
  })
}

/** docs/sso.md#messages explains each to operators. */
export const providerRefusals: Readonly<Record<ProviderRefusal, { status: number; title: string; advice: string }>> = {
  throttled: {
    status: 429,
    title: 'Too many attempts',
    advice: 'Please wait a few minutes and try again.',
  },
  expired: {
    status: 403,
    title: 'This sign-in has expired',
    advice:
      'It was begun in another browser, took longer than 15 minutes, or was finished already. Please sign in again.',
  },
  cancelled: {
    status: 403,
    title: '{name} did not sign you in',
    advice: 'You cancelled the sign-in, or {name} does not let you use this service.',
  },
  away: {
    status: 503,
    title: '{name} cannot be reached',
    advice: 'It does not answer at the moment. Please try again in a few minutes, or sign in another way.',
  },
  invalid: {
    status: 403,
    title: 'The answer of {name} cannot be used',
    advice: 'Please sign in again. If it happens again, tell the operator of this service; the log says why.',
  },
  'not-allowed': {
    status: 403,
    title: 'You have no access',
    advice: '{name} knows you, but none of your groups there may use this service. Ask your administrator for access.',
  },
  'too-many-groups': {
    status: 403,
    title: 'You are in too many groups',
    advice:
      '{name} does not say which groups you are in, because there are too many. Tell the operator of this service.',
  },
  unknown: {
    status: 403,
    title: 'You have no account here',
    advice: '{name} knows you, but nobody has made an account for you. Ask your administrator for one.',
  },
  unconfirmed: {
    status: 403,
    title: 'You have no account here',
    advice:
      '{name} knows you, but nobody has confirmed your e-mail address here. If you have an account, sign in to it in ' +
      'another way and confirm your e-mail address there. Otherwise ask your administrator for an account.',
  },
  inactive: {
    status: 403,
    title: 'Your account is deactivated',
    advice: 'Ask your administrator, or the operator of this service.',
  },
  'no-group': {
    status: 403,
    title: 'You are in no group',
    advice: '{name} knows you, but your groups there lead into no group here. Ask your administrator for access.',
  },
}
