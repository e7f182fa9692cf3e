/**
 * Pages for people in a browser: sign-in, two-factor, authorizing an application, invitations, password reset. Plain
 * forms without a script. Core decides who may do what; no page knows how anything is stored.
 */
import { readForms } from '../http/form-body.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { type AuthorizePageDeps, authorizeRoutes } from './authorize.js'
import { errorPage } from './errors.js'
import type { HostDeps } from './foreign-host.js'
import { frontRoutes } from './front.js'
import { type InvitationPageDeps, invitationRoutes } from './invitation.js'
import { sendPage } from './layout.js'
import { type ResetPageDeps, resetRoutes } from './reset.js'
import { type SignInPageDeps, signInRoutes } from './sign-in.js'

export type PageDeps = AuthorizePageDeps & SignInPageDeps & InvitationPageDeps & ResetPageDeps & HostDeps

export function pageRoutes(http: TypedFastify, deps: PageDeps): void {
  http.register(async (pages: TypedFastify) => {
    readForms(pages)
    pages.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
    })
    pages.setErrorHandler((error, request, reply) => {
      const page = errorPage(error)
      if (page.status >= 500) request.log.error({ err: error, route: request.routeOptions.url }, 'request failed')
      return sendPage(reply, page)
    })
    frontRoutes(pages, deps)
    authorizeRoutes(pages, deps)
    signInRoutes(pages, deps)
    invitationRoutes(pages, deps)
    resetRoutes(pages, deps)
  })
}
