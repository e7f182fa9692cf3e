/**
 * `/oauth/authorize`: may this application act for you? What it asked for stays in the address, as it was sent, through
 * signing in and until the answer; so `state` goes back byte for byte.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type AuthorizationInput,
  type AuthorizationRequest,
  type AuthorizeDeps,
  checkAuthorization,
  giveCode,
} from '../../core/oauth/authorize.js'
import type { Session } from '../../core/sign-in/sessions.js'
import { type Fields, formOf, queryOf } from '../http/form-body.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { PageError } from './errors.js'
import { hiddenCsrf, requireCsrf } from './form.js'
import { type Html, html, sendPage } from './layout.js'
import { currentSession, notYou, ownAddress, type PageSessionDeps, withNext } from './session.js'

export type AuthorizePageDeps = AuthorizeDeps & PageSessionDeps

export function authorizeRoutes(http: TypedFastify, deps: AuthorizePageDeps): void {
  http.get('/oauth/authorize', { schema: { hide: true } }, async (request, reply) => {
    const asked = await readAuthorization(deps, request)
    if (asked.outcome === 'refused') return sendBack(request, reply, asked.redirectUri, errorOf(asked))
    const session = await currentSession(deps, request, reply)
    if (!session) return reply.redirect(withNext('/account/sign-in', ownAddress(request)), 303)
    return sendQuestion(request, reply, asked, session)
  })

  http.post('/oauth/authorize', { schema: { hide: true } }, async (request, reply) => {
    const asked = await readAuthorization(deps, request)
    if (asked.outcome === 'refused') return sendBack(request, reply, asked.redirectUri, errorOf(asked))
    const session = await currentSession(deps, request, reply)
    if (!session) return reply.redirect(withNext('/account/sign-in', ownAddress(request)), 303)
    requireCsrf(request, session.csrf)
    const decision = formOf(request).get('decision')
    // RFC 6749, 4.1.2.1
    if (decision === 'deny') return sendBack(request, reply, asked.redirectUri, { error: 'access_denied' })
    if (decision !== 'allow') throw new PageError(400, 'No answer', 'Go back and choose Allow or Deny.')

    const { client, redirectUri, challenge } = asked
    const code = await giveCode(deps, session.login, { clientId: client.clientId, redirectUri, challenge })
    if (code === undefined) throw untrusted('client')
    return sendBack(request, reply, redirectUri, { code })
  })
}

/** What an address asks for; also used by the sign-in page, which says who is waiting. */
export function authorizationIn(query: Fields): AuthorizationInput {
  return {
    clientId: query.get('client_id'),
    redirectUri: query.get('redirect_uri'),
    responseType: query.get('response_type'),
    challenge: query.get('code_challenge'),
    challengeMethod: query.get('code_challenge_method'),
  }
}

const known = ['client_id', 'redirect_uri', 'response_type', 'state', 'code_challenge', 'code_challenge_method']

type Acceptable = AuthorizationRequest & { readonly outcome: 'acceptable' }
type RefusedRequest = AuthorizationRequest & { readonly outcome: 'refused' }

async function readAuthorization(
  deps: AuthorizePageDeps,
  request: FastifyRequest,
): Promise<Acceptable | RefusedRequest> {
  const query = queryOf(request)
  const twice = query.repeated(known)
  if (twice !== undefined) throw confused('Confused request', `sent ${twice} twice`)
  const asked = await checkAuthorization(deps, authorizationIn(query))
  if (asked.outcome === 'untrusted') throw untrusted(asked.why)
  return asked
}

function sendQuestion(
  request: FastifyRequest,
  reply: FastifyReply,
  { client, redirectUri }: Acceptable,
  session: Session,
): FastifyReply {
  const { name, description, link } = client
  return sendPage(reply, {
    title: `Allow ${name}?`,
    leadsTo: sourcesFor(redirectUri),
    content: html`<p><strong>${name}</strong> asks to use your account${placeOf(redirectUri)}.</p>
${description === '' ? undefined : html`<p class="quote">${description}</p>`}
${link === '' ? undefined : html`<p><a href="${link}" rel="noreferrer nofollow">About this application</a></p>`}
<p>If you allow it, it can do everything here that you can:</p>
<ul><li>make, change and delete short links in your groups</li>
<li>read how often they are used, when and from where</li>
<li>change whatever else you may change</li></ul>
<p>It does not get your password, and it keeps its access until its token is revoked: by you through the API
(<strong>DELETE /v4/user/tokens</strong>), or by those who run this service.</p>
<form method="post" action="${ownAddress(request)}">${hiddenCsrf(session.csrf)}
<div class="choices"><button name="decision" value="allow">Allow</button>
<button class="also" name="decision" value="deny">Deny</button></div></form>
${notYou(session, ownAddress(request))}`,
  })
}

/** Where the answer goes, in words that people can check. */
function placeOf(redirectUri: string): Html {
  const { host, protocol } = new URL(redirectUri)
  return /^https?:$/.test(protocol)
    ? html` and will take you back to <strong>${host}</strong>`
    : html` and will open <strong>${protocol}</strong> on this device`
}

/**
 * A browser applies `form-action` to everything a form leads to, also to where the application sends the user next. So
 * the policy names schemes and not hosts: the application's own, and https after it.
 */
function sourcesFor(redirectUri: string): string[] {
  return [...new Set([new URL(redirectUri).protocol, 'https:'])]
}

function errorOf({ error, description }: RefusedRequest): Record<string, string> {
  return { error, error_description: description }
}

/** To the application, with `state` exactly as it came. */
function sendBack(
  request: FastifyRequest,
  reply: FastifyReply,
  redirectUri: string,
  answer: Readonly<Record<string, string>>,
): FastifyReply {
  const state = queryOf(request).raw('state')
  const query = [new URLSearchParams(answer).toString(), ...(state === undefined ? [] : [`state=${state}`])].join('&')
  const joint = redirectUri.includes('?') ? (/[?&]$/.test(redirectUri) ? '' : '&') : '?'
  // A header holds no other characters; the application registered what it wrote, and gets what a browser makes of it.
  const address = redirectUri.replace(/[^\x21-\x7e]+/gu, (text) => encodeURIComponent(text))
  reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
  return reply.redirect(`${address}${joint}${query}`, request.method === 'POST' ? 303 : 302)
}

const unknown = {
  client: ['Unknown application', 'is not registered, or no longer'],
  'redirect-uri': ['Unknown return address', 'wants the answer at an address that it has not registered'],
} as const

function untrusted(why: keyof typeof unknown): PageError {
  const [title, reason] = unknown[why]
  return confused(title, reason)
}

/** Says nothing that came with the request: whoever made it up is not to speak through our page. */
function confused(title: string, reason: string): PageError {
  const advice = `The application that sent you here ${reason}. Nothing was shared with it. Please tell its makers.`
  return new PageError(400, title, advice)
}
