/**
 * CSRF protection for forms. Before sign-in, a random cookie identifies the browser, and every form contains a value
 * derived from it, which another site can neither read nor guess. Stateless.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSameText } from '../../lib/same-text.js'
import { type CookiePlace, readCookie, writeCookie } from '../http/cookies.js'
import { formOf, queryOf } from '../http/form-body.js'
import { PageError } from './errors.js'
import { type Html, html, type Insert } from './layout.js'

const cookie = 'shortlink_form'

/** The secret of this browser; creates one when it has none. */
export function browserSecret(place: CookiePlace, request: FastifyRequest, reply: FastifyReply): string {
  const known = knownBrowser(place, request)
  if (known !== undefined) return known
  const secret = randomBytes(32).toString('base64url')
  reply.header('set-cookie', writeCookie(place, cookie, secret))
  return secret
}

/** The CSRF value for a browser without a session. */
export function csrfOf(secret: string): string {
  return createHmac('sha256', secret).update('csrf').digest('base64url')
}

/** Returns the browser's secret; throws when the CSRF value does not match. */
export function requireOwnForm(place: CookiePlace, request: FastifyRequest): string {
  const secret = knownBrowser(place, request)
  if (secret === undefined || !isCsrf(request, csrfOf(secret))) throw notOurs()
  return secret
}

export function requireCsrf(request: FastifyRequest, csrf: string): void {
  if (!isCsrf(request, csrf)) throw notOurs()
}

export function hiddenCsrf(csrf: string): Html {
  return html`<input type="hidden" name="csrf" value="${csrf}">`
}

export interface Field {
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'password' | 'email'
  readonly autocomplete: string
  readonly value?: string | undefined
  readonly hint?: string
  readonly autofocus?: boolean
}

/** An input with its label and an optional hint. */
export function field({ name, label, type = 'text', autocomplete, value, hint, autofocus }: Field): Html {
  const described = hint === undefined ? undefined : html` aria-describedby="${name}-hint"`
  const focus = autofocus ? html` autofocus` : undefined
  const given = value === undefined ? undefined : html` value="${value}"`
  return html`<div>
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" autocapitalize="none" spellcheck="false" required${given}${described}${focus}>
${hint === undefined ? undefined : html`<p class="hint" id="${name}-hint">${hint}</p>`}
</div>`
}

/** Of the link in a mail. */
export function secretOf(request: FastifyRequest): string {
  return queryOf(request).get('secret') ?? ''
}

/** An error message; screen readers announce it at once. */
export function problem(text: Insert): Html | undefined {
  return text === undefined ? undefined : html`<p class="bad" role="alert">${text}</p>`
}

/** The secret of this browser; undefined when it has none. */
export function knownBrowser(place: CookiePlace, request: FastifyRequest): string | undefined {
  const secret = readCookie(place, request.headers.cookie, cookie)
  return secret !== undefined && /^[A-Za-z0-9_-]{43}$/.test(secret) ? secret : undefined
}

function isCsrf(request: FastifyRequest, csrf: string): boolean {
  return isSameText(formOf(request).get('csrf') ?? '', csrf)
}

function notOurs(): PageError {
  return new PageError(
    403,
    'This form has expired',
    'It was open for too long, or your browser did not send our cookie. Go back, load the page again, and make sure that cookies are allowed.',
  )
}
