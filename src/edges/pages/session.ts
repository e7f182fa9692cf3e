/** The session of this browser, and the page to return to. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ProvidedSession } from '../../core/accounts/identity-store.js'
import { beginSession, endSession, findSession, type Session, type SessionDeps } from '../../core/sign-in/sessions.js'
import { reservedSegments } from '../../core/values/address.js'
import { clientIpOf } from '../http/client-ip.js'
import { readCookie, sessionCookie, writeCookie } from '../http/cookies.js'
import type { Fields } from '../http/form-body.js'
import { hiddenCsrf } from './form.js'
import { type Html, html } from './layout.js'

export interface PageSessionDeps extends SessionDeps {
  readonly config: { readonly baseUrl: string }
}

export interface OpenSession extends Session {
  readonly secret: string
}

// Enough to name the browser.
const longestAgent = 512

// Same as the idle timeout of the session.
const twoWeeks = 14 * 86_400

export async function currentSession(
  deps: PageSessionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<OpenSession | undefined> {
  const secret = readCookie(deps.config, request.headers.cookie, sessionCookie)
  const session = secret === undefined ? undefined : await findSession(deps, secret)
  if (secret === undefined || !session) return undefined
  // A visit renews the session and its cookie.
  keepCookie(deps, reply, secret)
  return { ...session, secret }
}

/** A new secret for each sign-in (session fixation); the previous session of the browser ends. */
export async function startSession(
  deps: PageSessionDeps & { readonly config: { readonly trustProxy: number } },
  request: FastifyRequest,
  reply: FastifyReply,
  login: string,
  provided?: ProvidedSession,
): Promise<void> {
  const before = readCookie(deps.config, request.headers.cookie, sessionCookie)
  if (before !== undefined) await endSession(deps, before)
  const origin = {
    address: clientIpOf(request, deps.config),
    userAgent: request.headers['user-agent']?.slice(0, longestAgent),
  }
  keepCookie(deps, reply, await beginSession(deps, login, origin, provided))
}

export function dropCookie(deps: PageSessionDeps, reply: FastifyReply): void {
  reply.removeHeader('set-cookie').header('set-cookie', writeCookie(deps.config, sessionCookie, '', 0))
}

/** The dashboard. */
export const homePath = '/app'

/** The page to open after sign-in, from `next`: only pages of this service, otherwise the front page. */
export function nextOf(fields: Fields): string {
  const next = fields.get('next') ?? homePath
  return isOwnPage(next) ? next : homePath
}

/**
 * Refuses what a browser could read as another host (`//evil`, `/\evil`, control characters that it drops), and short
 * links, which lead anywhere: the first part of the path must be one that no link can have, without dot segments.
 */
function isOwnPage(address: string): boolean {
  if (!/^\/(?![/\\])[\x21-\x5b\x5d-\x7e\x80-\xff]*$/.test(address)) return false
  const [path = ''] = address.split(/[?#]/, 1)
  const [, first = ''] = path.split('/', 2)
  return reservedSegments.has(first) && new URL(address, 'http://localhost').pathname === path
}

export function withNext(path: string, next: string): string {
  return next === homePath ? path : `${path}?next=${encodeURIComponent(next)}`
}

/** The URL of this request, to return to. */
export function ownAddress(request: FastifyRequest): string {
  return request.raw.url ?? homePath
}

/** Shows the signed-in user, and a sign-out for anybody else. */
export function notYou(session: Session, next: string): Html {
  return html`<div class="aside">Signed in as <strong>${session.login}</strong>.
<form method="post" action="${withNext('/account/sign-out', next)}">${hiddenCsrf(session.csrf)}
<button class="plain">Not you?</button></form></div>`
}

function keepCookie(deps: PageSessionDeps, reply: FastifyReply, secret: string): void {
  reply.header('set-cookie', writeCookie(deps.config, sessionCookie, secret, twoWeeks))
}
