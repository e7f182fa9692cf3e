/** Password reset: request a link by mail, and set a new password on the page of that link. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findReset, type ResetDeps, requestReset, resetPassword } from '../../core/sign-in/passwords-reset.js'
import { Refusal } from '../../core/values/refusal.js'
import { passwordRule } from '../../lib/credentials.js'
import { clientIpOf } from '../http/client-ip.js'
import { formOf } from '../http/form-body.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { PageError } from './errors.js'
import { browserSecret, csrfOf, field, hiddenCsrf, problem, requireOwnForm, secretOf } from './form.js'
import { html, sendPage } from './layout.js'
import { ownAddress } from './session.js'

export interface ResetPageDeps extends ResetDeps {
  readonly config: ResetDeps['config'] & { readonly trustProxy: number }
}

export function resetRoutes(http: TypedFastify, deps: ResetPageDeps): void {
  const hidden = { schema: { hide: true } }

  http.get('/account/forgot-password', hidden, async (request, reply) => {
    if (deps.mail.delivery === 'not_sent') return sendNoMail(reply)
    const csrf = csrfOf(browserSecret(deps.config, request, reply))
    return sendPage(reply, {
      title: 'Forgot your password?',
      content: html`<p>Enter your login, and we send a link to the e-mail address of your account.</p>
<form method="post" action="/account/forgot-password">${hiddenCsrf(csrf)}
${field({ name: 'login', label: 'Login or e-mail address', autocomplete: 'username', autofocus: true })}
<button>Send me a link</button></form>
<p class="aside"><a href="/account/sign-in">Back to sign in</a></p>`,
    })
  })

  http.post('/account/forgot-password', hidden, async (request, reply) => {
    requireOwnForm(deps.config, request)
    if (deps.mail.delivery === 'not_sent') return sendNoMail(reply)
    await requestReset(deps, formOf(request).get('login') ?? '', clientIpOf(request, deps.config))
    // The same page for everybody: do not reveal whether the account exists.
    return sendPage(reply, {
      title: 'Check your mail',
      content: html`<p>If the account exists and has an e-mail address, a link is on its way to it. It works once, for an hour.</p>
<p>No mail after some minutes? Check the spam folder, or ask the operator of this service, who can set a new password.</p>
<p class="aside"><a href="/account/sign-in">Back to sign in</a></p>`,
    })
  })

  http.get('/account/reset', hidden, async (request, reply) => sendNewPassword(deps, request, reply, 200))

  http.post('/account/reset', hidden, async (request, reply) => {
    requireOwnForm(deps.config, request)
    try {
      await resetPassword(deps, secretOf(request), formOf(request).get('password') ?? '')
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'INVALID_ARGUMENT') throw error
      return sendNewPassword(deps, request, reply, 400, error.message)
    }
    return sendPage(reply, {
      title: 'Your password was changed',
      content: html`<p>All browsers were signed out. Sign in with the new password.</p>
<a class="go" href="/account/sign-in">Sign in</a>`,
    })
  })
}

/** Says nothing about accounts, so there is nothing to ask for. */
function sendNoMail(reply: FastifyReply): FastifyReply {
  return sendPage(reply, {
    title: 'Forgot your password?',
    content: html`<p>This service sends no mail, so it cannot send you a link. Ask its operator, who sets a new password for you with this command:</p>
<p><code>bin/shortlink user password LOGIN</code></p>
<p class="aside"><a href="/account/sign-in">Back to sign in</a></p>`,
  })
}

async function sendNewPassword(
  deps: ResetPageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  wrong?: string,
): Promise<FastifyReply> {
  const reset = await findReset(deps, secretOf(request))
  if (!reset) {
    const advice = 'It was already used, or it is more than an hour old. Request a new one on the sign-in page.'
    throw new PageError(410, 'This link is no longer valid', advice)
  }
  const csrf = csrfOf(browserSecret(deps.config, request, reply))
  return sendPage(reply, {
    status,
    title: 'Choose a new password',
    content: html`<p>For the account <strong>${reset.login}</strong>.</p>${problem(wrong)}
<form method="post" action="${ownAddress(request)}">${hiddenCsrf(csrf)}
<input type="text" name="username" autocomplete="username" value="${reset.login}" hidden>
${field({ name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', hint: passwordRule.allowed, autofocus: true })}
<button>Change password</button></form>`,
  })
}
