/**
 * Passkeys on the sign-in pages: a form that stays hidden unless its script runs in a browser with passkeys. The script
 * asks the browser and sends the form; sign-in.ts receives it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { canHavePasskeys, type PasskeyDeps, signInOptions } from '../../core/sign-in/passkeys.js'
import { findHalfSession, type HalfSession, type SessionDeps } from '../../core/sign-in/sessions.js'
import { clientIpOf } from '../http/client-ip.js'
import { formOf } from '../http/form-body.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { PageError } from './errors.js'
import { csrfOf, hiddenCsrf, requireOwnForm } from './form.js'
import { type Html, html } from './layout.js'
import { withNext } from './session.js'

export type PasskeyPageDeps = PasskeyDeps & SessionDeps & { readonly config: { readonly trustProxy: number } }

export type PasskeyStep = 'alone' | 'again' | 'second'

const scriptPath = '/account/passkey.js'

export function passkeyPageRoutes(http: TypedFastify, deps: PasskeyPageDeps): void {
  const hidden = { schema: { hide: true } }

  http.get(scriptPath, hidden, async (_request, reply) =>
    reply.header('x-content-type-options', 'nosniff').type('text/javascript; charset=utf-8').send(script),
  )

  http.post('/account/passkey/options', hidden, async (request, reply): Promise<FastifyReply> => {
    const { browser, half } = await stepOf(deps, request)
    const address = clientIpOf(request, deps.config)
    return reply.send(await signInOptions(deps, { browser, address, secondStepOf: half?.login }))
  })
}

/** The browser that sent the form and, in the second step, whose password was right. */
export async function stepOf(
  deps: PasskeyPageDeps,
  request: FastifyRequest,
): Promise<{ readonly browser: string; readonly half: HalfSession | undefined }> {
  const browser = requireOwnForm(deps.config, request)
  if (formOf(request).get('step') !== 'second') return { browser, half: undefined }
  const half = await findHalfSession(deps, browser)
  if (!half) throw tooLate()
  return { browser, half }
}

export function tooLate(): PageError {
  const advice = 'Codes are valid for five minutes. Please go back and sign in again.'
  return new PageError(403, 'Your code has expired', advice)
}

/**
 * `alone`: instead of login and password; browsers offer passkeys in the field of the login, too. `again`: the same after
 * one was refused, which they must not offer at once.
 */
export function passkeyForm(
  { config }: PasskeyPageDeps,
  { browser, next, step }: { readonly browser: string; readonly next: string; readonly step: PasskeyStep },
): Html | undefined {
  if (!canHavePasskeys(config)) return undefined
  const label = step === 'second' ? 'Use a passkey' : 'Sign in with a passkey'
  const look = step === 'second' ? 'go' : 'also'
  return html`<form method="post" action="${withNext('/account/passkey', next)}" data-passkey hidden>${hiddenCsrf(csrfOf(browser))}
<input type="hidden" name="step" value="${step}"><input type="hidden" name="credential">
<div class="choices"><button class="${look}">${label}</button></div><p class="bad" role="alert" hidden></p></form>
<script src="${scriptPath}" defer></script>`
}

/** What the browser answered; undefined when it is not JSON. */
export function credentialOf(request: FastifyRequest): unknown {
  try {
    return JSON.parse(formOf(request).get('credential') ?? '')
  } catch {
    return undefined
  }
}

// The challenge is valid for five minutes: while the browser offers passkeys in the field, it gets new ones before that.
const script = `(() => {
  const form = document.querySelector('form[data-passkey]')
  const problem = form.querySelector('[role=alert]')
  const passkeys = window.PublicKeyCredential
  if (!passkeys || !navigator.credentials) return
  form.hidden = false
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))
  const text = (buffer) => buffer && btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=+$/, '')
  const read = (json) => ({
    ...json, challenge: bytes(json.challenge),
    allowCredentials: json.allowCredentials.map((each) => ({ ...each, id: bytes(each.id) })),
  })
  const written = ({ id, type, response: given }) => ({ id, rawId: id, type, clientExtensionResults: {}, response: {
    clientDataJSON: text(given.clientDataJSON), authenticatorData: text(given.authenticatorData),
    signature: text(given.signature), userHandle: text(given.userHandle) || undefined,
  } })
  let asking = new AbortController()
  const ask = async (how) => {
    asking.abort()
    asking = new AbortController()
    const { signal } = asking
    const body = new URLSearchParams(new FormData(form))
    const answer = await fetch('/account/passkey/options', { method: 'POST', body, signal })
    if (answer.status === 429) throw new Error('Too many attempts. Please wait a few minutes and try again.')
    if (!answer.ok) throw new Error('This page has expired. Load it again.')
    const credential = await navigator.credentials.get({ publicKey: read(await answer.json()), signal, ...how })
    form.elements.credential.value = JSON.stringify(written(credential))
    form.submit()
  }
  let offering
  const offer = async () => {
    if (form.elements.step.value !== 'alone' || !(await passkeys.isConditionalMediationAvailable?.())) return
    const again = () => ask({ mediation: 'conditional' }).catch(() => {})
    again()
    offering = setInterval(again, 240000)
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    clearInterval(offering)
    problem.hidden = true
    ask({}).catch((error) => {
      const sentences = {
        NotAllowedError: 'No passkey was used. Try again, or sign in another way.',
        SecurityError: 'Passkeys do not work at this address. Open this page at the usual address of the service.',
      }
      problem.textContent = sentences[error.name] || error.message
      problem.hidden = false
      offer()
    })
  })
  offer()
})()
`
