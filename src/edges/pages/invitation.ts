/** The page of an invitation link: creates an account, or adds the signed-in user. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Invitation } from '../../core/accounts/account.js'
import type { GroupRole } from '../../core/accounts/actor.js'
import { type AcceptDeps, acceptInvitation, findInvitation, type InvitedUser } from '../../core/sign-in/invitations.js'
import { Refusal } from '../../core/values/refusal.js'
import { loginRule, passwordRule } from '../../lib/credentials.js'
import { formOf } from '../http/form-body.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { PageError } from './errors.js'
import { browserSecret, csrfOf, field, hiddenCsrf, problem, requireCsrf, requireOwnForm, secretOf } from './form.js'
import { html, sendPage } from './layout.js'
import {
  currentSession,
  homePath,
  notYou,
  type OpenSession,
  ownAddress,
  type PageSessionDeps,
  startSession,
  withNext,
} from './session.js'

export type InvitationPageDeps = { readonly config: { readonly trustProxy: number } } & AcceptDeps & PageSessionDeps

export function invitationRoutes(http: TypedFastify, deps: InvitationPageDeps): void {
  http.get('/account/invitation', { schema: { hide: true } }, async (request, reply) => {
    const invitation = await requireInvitation(deps, request)
    const session = await currentSession(deps, request, reply)
    if (session) return sendJoin(request, reply, invitation, session)
    return sendNewAccount(deps, request, reply, invitation, { status: 200, given: {} })
  })

  http.post('/account/invitation', { schema: { hide: true } }, async (request, reply) => {
    const invitation = await requireInvitation(deps, request)
    const session = await currentSession(deps, request, reply)
    if (session) {
      requireCsrf(request, session.csrf)
      await acceptInvitation(deps, secretOf(request), { login: session.login })
      return reply.redirect(homePath, 303)
    }
    requireOwnForm(deps.config, request)
    const invitedUser = invitedUserIn(request)
    try {
      const { login } = await acceptInvitation(deps, secretOf(request), invitedUser)
      await startSession(deps, request, reply, login)
    } catch (error) {
      // Invalid input shows the form again; an invitation that was just used by somebody else does not.
      if (!(error instanceof Refusal) || error.code === 'GONE') throw error
      const shown = { status: error.code === 'CONFLICT' ? 409 : 400, wrong: error.message, given: invitedUser }
      return sendNewAccount(deps, request, reply, invitation, shown)
    }
    return reply.redirect(homePath, 303)
  })
}

async function requireInvitation(deps: InvitationPageDeps, request: FastifyRequest): Promise<Invitation> {
  const invitation = await findInvitation(deps, secretOf(request))
  if (invitation) return invitation
  const advice = 'It was already used or revoked, or it is more than a week old. Please ask for a new one.'
  throw new PageError(410, 'This invitation is no longer valid', advice)
}

function invitedUserIn(request: FastifyRequest): InvitedUser & { name: string; password: string } {
  const form = formOf(request)
  const login = (form.get('login') ?? '').trim().toLowerCase()
  return { login, name: form.get('name') ?? '', password: form.get('password') ?? '' }
}

interface NewAccountShown {
  readonly status: number
  readonly wrong?: string
  readonly given: { readonly login?: string; readonly name?: string }
}

function sendNewAccount(
  deps: InvitationPageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  invitation: Invitation,
  { status, wrong, given }: NewAccountShown,
): FastifyReply {
  const csrf = csrfOf(browserSecret(deps.config, request, reply))
  return sendPage(reply, {
    status,
    title: `Join ${invitation.organizationName}`,
    content: html`${offer(invitation)}${problem(wrong)}
<form method="post" action="${ownAddress(request)}">${hiddenCsrf(csrf)}
${field({ name: 'name', label: 'Your name', autocomplete: 'name', value: given.name, autofocus: true })}
${field({ name: 'login', label: 'Login', autocomplete: 'username', value: given.login, hint: loginRule.allowed })}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'new-password', hint: passwordRule.allowed })}
<button>Create account and join</button></form>
<p class="aside">Already have an account? <a href="${withNext('/account/sign-in', ownAddress(request))}">Sign in</a> and join with it.</p>`,
  })
}

function sendJoin(
  request: FastifyRequest,
  reply: FastifyReply,
  invitation: Invitation,
  session: OpenSession,
): FastifyReply {
  return sendPage(reply, {
    title: `Join ${invitation.organizationName}`,
    content: html`${offer(invitation)}
<form method="post" action="${ownAddress(request)}">${hiddenCsrf(session.csrf)}<button>Join as ${session.login}</button></form>
${notYou(session, ownAddress(request))}`,
  })
}

const roleNames: Readonly<Record<GroupRole, string>> = {
  'org-admin': 'an administrator of the organization',
  auditor: 'an auditor of the organization, who reads everything and changes nothing',
  'group-admin': 'an administrator of the group',
  member: 'a member of the group',
  reader: 'a reader of the group',
}

function offer({ invitedBy, groupName, role }: Invitation) {
  return html`<p><strong>${invitedBy}</strong> invites you to <strong>${groupName}</strong>, as ${roleNames[role]}.</p>`
}
