/**
 * Pages for people in a browser: sign-in (also with an identity provider), two-factor, authorizing an application, invitations, password reset, a new e-mail address. Plain
 * forms, which work without scripts. Core decides who may do what; no page knows how anything is stored.
 */
import { readForms } from '../http/form-body.js'
import { icon } from '../http/icon.js'
import { logFailure } from '../http/log-failure.js'
import { isFromAnotherOrigin } from '../http/same-origin.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { type AuthorizePageDeps, authorizeRoutes } from './authorize.js'
import { type EmailPageDeps, emailRoutes } from './email.js'
import { errorPage, PageError } from './errors.js'
import { answerForeignHost, type HostDeps } from './foreign-host.js'
import { type InvitationPageDeps, invitationRoutes } from './invitation.js'
import { html, sendPage } from './layout.js'
import { passkeyPageRoutes } from './passkey.js'
import { type ProviderPageDeps, providerRoutes } from './provider.js'
import { type ResetPageDeps, resetRoutes } from './reset.js'
import { currentSession, homePath, type PageSessionDeps } from './session.js'
import { type SignInPageDeps, signInRoutes } from './sign-in.js'

export type PageDeps = AuthorizePageDeps &
  SignInPageDeps &
  ProviderPageDeps &
  InvitationPageDeps &
  ResetPageDeps &
  EmailPageDeps &
  HostDeps

export function pageRoutes(http: TypedFastify, deps: PageDeps): void {
  http.register(async (pages: TypedFastify) => {
    readForms(pages)
    pages.addHook('onRequest', async ({ method, headers }, reply) => {
      reply.header('cache-control', 'no-store').header('referrer-policy', 'strict-origin')
      if (method === 'POST' && isFromAnotherOrigin(headers, deps.config.baseUrl)) throw fromAnotherSite()
    })
    pages.setErrorHandler((error, request, reply) => {
      const page = errorPage(error)
      if (page.status === 500) logFailure(request, error)
      return sendPage(reply, page)
    })
    frontRoutes(pages, deps)
    authorizeRoutes(pages, deps)
    signInRoutes(pages, deps)
    providerRoutes(pages, deps)
    passkeyPageRoutes(pages, deps)
    invitationRoutes(pages, deps)
    resetRoutes(pages, deps)
    emailRoutes(pages, deps)
  })
}

/** The front page of the service, a short URL for sign-in, and the icon. */
function frontRoutes(http: TypedFastify, deps: HostDeps & PageSessionDeps): void {
  const hidden = { schema: { hide: true } }
  const foreign = answerForeignHost(deps)

  // On branded domains, and where the domain has a root URL, the redirect handler answers first.
  http.get('/', hidden, async (request, reply) => {
    if (foreign(request, reply)) return reply
    if (await currentSession(deps, request, reply)) return reply.redirect(homePath, 303)
    return sendPage(reply, {
      title: 'Short links, and who follows them',
      content: html`<p>Sign in to make links, share them, and see their clicks. Programs use the API with an access token.</p>
<a class="go" href="/login">Sign in</a>
<div class="aside"><a href="/docs">API documentation</a></div>`,
    })
  })

  http.get('/login', hidden, async (_request, reply) => reply.redirect('/account/sign-in', 303))

  http.get('/favicon.ico', hidden, async (_request, reply) =>
    reply.header('cache-control', icon.caching).type(icon.type).send(icon.body),
  )
}

function fromAnotherSite(): PageError {
  const advice = 'Open the page of this service yourself, and fill in its own form.'
  return new PageError(403, 'This form is from another site', advice)
}
