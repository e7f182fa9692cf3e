/**
 * The pages people see in a browser: signing in, a second factor, allowing an application, invitations, forgotten
 * passwords. Plain forms without a script. Who may do what is decided in core; no page knows how anything is stored.
 */
import { readForms } from '../http/form-body.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { type AuthorizePageParts, authorizeRoutes } from './authorize.js'
import { errorPage } from './errors.js'
import type { HostParts } from './foreign-host.js'
import { frontRoutes } from './front.js'
import { type InvitationPageParts, invitationRoutes } from './invitation.js'
import { sendPage } from './layout.js'
import { type ResetPageParts, resetRoutes } from './reset.js'
import { type SignInPageParts, signInRoutes } from './sign-in.js'

export type PageParts = AuthorizePageParts & SignInPageParts & InvitationPageParts & ResetPageParts & HostParts

export function pageRoutes(http: TypedFastify, parts: PageParts): void {
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
    frontRoutes(pages, parts)
    authorizeRoutes(pages, parts)
    signInRoutes(pages, parts)
    invitationRoutes(pages, parts)
    resetRoutes(pages, parts)
  })
}
