/**
 * `/oauth/authorize`: lets the user allow or deny an application. The parameters stay in the URL through sign-in until
 * the decision, so `state` is returned unchanged.
 */
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { Type } from 'typebox'
import { applicationScopes, type Scope, whatAllows } from '../../core/accounts/scopes.js'
import {
  type AuthorizationInput,
  type AuthorizationRequest,
  type AuthorizeDeps,
  checkAuthorization,
  giveCode,
} from '../../core/oauth/authorize.js'
import { type DocumentProblem, documentProblems } from '../../core/oauth/client-documents.js'
import { isDocumentUrl, isSelfRegistered } from '../../core/oauth/self-registered.js'
import type { Session } from '../../core/sign-in/sessions.js'
import { documentOnly } from '../http/described.js'
import { type Fields, formOf, queryOf } from '../http/form-body.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { PageError } from './errors.js'
import { hiddenCsrf, requireCsrf } from './form.js'
import { type Html, html, sendPage } from './layout.js'
import { currentSession, notYou, ownAddress, type PageSessionDeps, withNext } from './session.js'

const authorizeSchema: FastifySchema = {
  operationId: 'authorize',
  tags: ['OAuth'],
  summary: 'Ask a user to allow an application',
  description:
    'A page for people: send their browser here. They sign in and decide, and return to `redirect_uri` with a `code` ' +
    'that is valid once, for one minute, or with `error=access_denied`.',
  security: [],
  querystring: Type.Object({
    client_id: Type.String({
      description: 'Id of the application',
      examples: ['zwc4rkav8y8jpgorrni4f99nfplf5b6dx519jwnm'],
    }),
    redirect_uri: Type.String({
      description: 'One of the registered addresses',
      examples: ['https://desk.example.com/back'],
    }),
    state: Type.Optional(Type.String({ description: 'Returned unchanged' })),
    response_type: Type.Optional(Type.String({ enum: ['code'], description: '`code`, or left out' })),
    scope: Type.Optional(
      Type.String({
        description:
          'Scopes, separated by spaces; all that the application has when left out. This and `resource` are ignored ' +
          'unless the application registered itself',
      }),
    ),
    code_challenge: Type.Optional(Type.String({ description: 'PKCE: base64url of the SHA-256 of the verifier' })),
    code_challenge_method: Type.Optional(Type.String({ enum: ['S256'], description: 'PKCE: `S256`' })),
    resource: Type.Optional(
      Type.String({
        description: 'The URL of this service, if it is sent (RFC 8707)',
        examples: ['https://api.example.com'],
      }),
    ),
  }),
  response: {
    200: { description: 'The page', content: { 'text/html': { schema: Type.String() } } },
    303: Type.Null({ description: 'To the sign-in page, or back to the application with an error' }),
  },
}

export type AuthorizePageDeps = AuthorizeDeps & PageSessionDeps

export function authorizeRoutes(http: TypedFastify, deps: AuthorizePageDeps): void {
  http.get('/oauth/authorize', { schema: authorizeSchema, ...documentOnly }, async (request, reply) => {
    const asked = await readRequest(deps, request, reply)
    return asked ? sendQuestion(request, reply, asked.authorization, asked.session) : reply
  })

  http.post('/oauth/authorize', { schema: { hide: true } }, async (request, reply) => {
    const asked = await readRequest(deps, request, reply)
    if (!asked) return reply
    const { authorization, session } = asked
    requireCsrf(request, session.csrf)
    const answer = answerer(deps, request, reply, authorization)
    const decision = formOf(request).get('decision')
    // RFC 6749, 4.1.2.1
    if (decision === 'deny') return answer({ error: 'access_denied' })
    if (decision !== 'allow') throw new PageError(400, 'No decision', 'Go back and choose Allow or Deny.')
    // The owner of an application may change it while the page is shown: only what somebody has read is allowed.
    if (formOf(request).get('shown') !== digestOf(authorization))
      return sendQuestion(request, reply, authorization, session)

    const code = await giveCode(deps, session.login, authorization)
    if (code === undefined) throw untrusted('client')
    return answer({ code })
  })
}

/** Parses the parameters; also used by the sign-in page, which names the application. */
export function authorizationIn(query: Fields): AuthorizationInput {
  return {
    clientId: query.get('client_id'),
    redirectUri: query.get('redirect_uri'),
    responseType: query.get('response_type'),
    challenge: query.get('code_challenge'),
    challengeMethod: query.get('code_challenge_method'),
    scope: query.get('scope'),
    resources: query.all('resource'),
  }
}

const known = ['client_id', 'redirect_uri', 'response_type', 'state', 'code_challenge', 'code_challenge_method']

type Acceptable = AuthorizationRequest & { readonly outcome: 'acceptable' }

/** Undefined when the answer was sent: back to the application, or to the sign-in page. */
async function readRequest(
  deps: AuthorizePageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ readonly authorization: Acceptable; readonly session: Session } | undefined> {
  const query = queryOf(request)
  const twice = query.repeated(isSelfRegistered(query.get('client_id') ?? '') ? [...known, 'scope'] : known)
  if (twice !== undefined) throw invalidRequest('Invalid request', `sent ${twice} twice`)
  const session = await currentSession(deps, request, reply)
  const authorization = await checkAuthorization(deps, authorizationIn(query), session?.login)
  if (authorization.outcome === 'untrusted') throw untrusted(authorization.why)
  if (authorization.outcome === 'refused') {
    const { redirectTo, error, description } = authorization
    if (redirectTo === undefined) throw invalidRequest('Invalid request', `sent an invalid request. ${description}`)
    sendBack(request, reply, redirectTo, { error, error_description: description })
    return undefined
  }
  if (session && authorization.outcome === 'acceptable') return { authorization, session }
  reply.redirect(withNext('/account/sign-in', ownAddress(request)), 303)
  return undefined
}

function sendQuestion(
  request: FastifyRequest,
  reply: FastifyReply,
  authorization: Acceptable,
  session: Session,
): FastifyReply {
  const { client, redirectUri, scopes } = authorization
  const { name, description, link } = client
  return sendPage(reply, {
    title: `Allow ${name}?`,
    formTargets: sourcesFor(redirectUri),
    content: html`<p><strong>${name}</strong> asks to use your account${placeOf(redirectUri)}.</p>
${description === '' ? undefined : html`<p class="quote">${description}</p>`}
${link === '' ? undefined : html`<p><a href="${link}" rel="noreferrer nofollow">About this application</a></p>`}
${whatItMayDo(scopes)}${warningAbout(client.clientId)}
<p>It does not get your password. It keeps its access until you disconnect it on the page
of your account${isSelfRegistered(client.clientId) ? ', or until it has not used it for 90 days' : ''}.</p>
<form method="post" action="${ownAddress(request)}">${hiddenCsrf(session.csrf)}
<input type="hidden" name="shown" value="${digestOf(authorization)}">
<div class="choices"><button name="decision" value="allow">Allow</button>
<button class="also" name="decision" value="deny">Deny</button></div></form>
${notYou(session, ownAddress(request))}`,
  })
}

/** Of everything that the page says about the application. */
function digestOf({ client, redirectUri, scopes }: Acceptable): string {
  const { name, description, link } = client
  return hash('sha256', JSON.stringify([name, description, link, redirectUri, scopes]))
}

function whatItMayDo(scopes: readonly Scope[]): Html {
  const shown = scopes.includes('all') ? applicationScopes : scopes
  return html`<p>If you allow it, it can do this in your groups:</p>
<ul>${shown.map((scope) => html`<li>${whatAllows(scope)}</li>`)}</ul>`
}

/** Anybody can choose the name. */
function warningAbout(clientId: string): Html | undefined {
  if (!isSelfRegistered(clientId)) return undefined
  return html`
<p class="bad">The operator of this service has not verified this application: it chose its name itself. Allow it only if
you have just begun this in a program that you trust.</p>
${isDocumentUrl(clientId) ? html`<p>It is described at</p><p class="url">${clientId}</p>` : undefined}`
}

/** The redirect target in words that people can check. */
function placeOf(redirectUri: string): Html {
  const { host, protocol } = new URL(redirectUri)
  return /^https?:$/.test(protocol)
    ? html` and will take you back to <strong>${host}</strong>`
    : html` and will open <strong>${protocol}</strong> on this device`
}

/**
 * Browsers apply `form-action` to all redirects after a form, also to those of the application. So the policy lists
 * schemes, not hosts: the scheme of the application, and https.
 */
function sourcesFor(redirectUri: string): string[] {
  return [...new Set([new URL(redirectUri).protocol, 'https:'])]
}

/**
 * Redirects back with what the user decided. With `iss` (RFC 9207) where the application registered itself: what others get is specified, and says
 * nothing about it.
 */
function answerer(
  { config }: AuthorizePageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { client, redirectUri }: Acceptable,
) {
  const issuer = isSelfRegistered(client.clientId) ? { iss: config.baseUrl } : {}
  return (answer: Readonly<Record<string, string>>) => sendBack(request, reply, redirectUri, { ...answer, ...issuer })
}

/** Redirects to the application with `state` unchanged. */
function sendBack(
  request: FastifyRequest,
  reply: FastifyReply,
  redirectUri: string,
  answer: Readonly<Record<string, string>>,
): FastifyReply {
  const state = queryOf(request).raw('state')
  const query = [new URLSearchParams(answer).toString(), ...(state === undefined ? [] : [`state=${state}`])].join('&')
  const joint = redirectUri.includes('?') ? (/[?&]$/.test(redirectUri) ? '' : '&') : '?'
  // Headers are ASCII only: encode the registered URI as a browser does.
  const address = redirectUri.replace(/[^\x21-\x7e]+/gu, (text) => encodeURIComponent(text))
  reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
  return reply.redirect(`${address}${joint}${query}`, request.method === 'POST' ? 303 : 302)
}

const unknown = {
  client: ['Unknown application', 'is not registered, or no longer registered'],
  'redirect-uri': ['Unknown redirect URI', 'uses a redirect URI that is not registered'],
} as const

function untrusted(why: keyof typeof unknown | DocumentProblem): PageError {
  const cannotBeUsed = 'has a document at its client_id that cannot be used:'
  const [title, reason] =
    why === 'client' || why === 'redirect-uri'
      ? unknown[why]
      : ['Unknown application', `${cannotBeUsed} ${documentProblems[why]}`]
  return invalidRequest(title, reason)
}

/** Shows no text from the request: an attacker must not be able to put words on our page. */
function invalidRequest(title: string, reason: string): PageError {
  const advice = `The application that sent you here ${reason}. Nothing was shared with it. Please tell its developers.`
  return new PageError(400, title, advice)
}
