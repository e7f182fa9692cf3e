/** The page of the link that confirms a new e-mail address. A button, because mail scanners follow links. */
import { changeEmail, type EmailChangeDeps, findEmailChange } from '../../core/sign-in/email-change.js'
import { Refusal } from '../../core/values/refusal.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { PageError } from './errors.js'
import { browserSecret, csrfOf, hiddenCsrf, requireOwnForm, secretOf } from './form.js'
import { html, sendPage } from './layout.js'
import { homePath, ownAddress } from './session.js'

export interface EmailPageDeps extends EmailChangeDeps {
  readonly config: { readonly baseUrl: string }
}

export function emailRoutes(http: TypedFastify, deps: EmailPageDeps): void {
  const hidden = { schema: { hide: true } }

  http.get('/account/email', hidden, async (request, reply) => {
    const pending = await findEmailChange(deps, secretOf(request))
    if (!pending) {
      const advice =
        'It was already used or replaced, or it is more than an hour old. Request a new one in your account.'
      throw new PageError(410, 'This link is no longer valid', advice)
    }
    const csrf = csrfOf(browserSecret(deps.config, request, reply))
    return sendPage(reply, {
      title: 'Confirm your address',
      content: html`<p>Use <strong>${pending.email}</strong> for the account <strong>${pending.login}</strong>?</p>
<form method="post" action="${ownAddress(request)}">${hiddenCsrf(csrf)}<button>Use this address</button></form>`,
    })
  })

  http.post('/account/email', hidden, async (request, reply) => {
    requireOwnForm(deps.config, request)
    const { login, email } = await changed(deps, secretOf(request))
    return sendPage(reply, {
      title: 'Your address was changed',
      content: html`<p>The account <strong>${login}</strong> now has the address <strong>${email}</strong>.</p>
<a class="go" href="${homePath}">Continue</a>`,
    })
  })
}

async function changed(deps: EmailPageDeps, secret: string): Promise<{ login: string; email: string }> {
  try {
    return await changeEmail(deps, secret)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'INVALID_ARGUMENT') throw error
    throw new PageError(409, 'This address is taken', error.message)
  }
}
