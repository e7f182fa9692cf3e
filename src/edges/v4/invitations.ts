/** Invitations into an organization. An addition: the public service offers this only as web pages. */

import { type Static, Type } from 'typebox'
import type { Invitation as CoreInvitation } from '../../core/accounts/account.js'
import {
  type InviteDeps,
  invite,
  listInvitations,
  readInvitation,
  revokeInvitation,
} from '../../core/sign-in/invitations.js'
import { timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { memberOfBody, organizationAdmin, organizationAuditor } from './access.js'
import { route } from './route.js'
import { emailBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { mailDelivery, moment, optionalText } from './schemas/fields.js'
import { listAnswer } from './schemas/lists.js'

export type InvitationRouteDeps = InviteDeps

const role = Type.Enum(['org-admin', 'auditor', 'group-admin', 'member', 'reader'], {
  type: 'string',
  description: 'Their role: `org-admin` and `auditor` in the organization, the others in the group',
})

const Invitation = Type.Object(
  {
    guid: Type.String(),
    email: Type.String(),
    organization_guid: Type.String(),
    group_guid: Type.String(),
    role,
    invited_by: Type.String({ description: 'Login of the user who sent it' }),
    delivery: Type.Optional(mailDelivery),
    created: moment(),
    expires: moment(),
  },
  { title: 'Invitation', description: 'An invitation that can still be accepted' },
)
const NewInvitation = Type.Object(
  {
    ...Invitation.properties,
    url: optionalText('The link, if it was not sent by mail: pass it on to the recipient. It is shown only now', {
      examples: ['https://go.example.com/account/invitation?secret=n2Vd5Kq8'],
    }),
  },
  { description: 'The new invitation' },
)

const InvitationBody = Type.Object({
  email: Type.String({ ...emailBounds, description: 'Receives an email with a link that works once, for seven days' }),
  group_guid: Type.String({ description: 'The group they join' }),
  role: Type.Optional(role),
})

export function invitationRoutes(http: TypedFastify, deps: InvitationRouteDeps): void {
  const tag = 'Organizations'

  route(http, tag, 'listInvitations: GET /v4/organizations/:organization_guid/invitations', {
    scope: 'members',
    list: { name: 'invitations', by: 'guid' },
    access: organizationAuditor,
    summary: 'List open invitations',
    description:
      'Those that were not accepted, revoked or expired. For administrators and auditors of the organization.',
    response: { 200: listAnswer('invitations', Invitation, 'Newest first') },
    answer: async ({ actor, params }) => ({
      invitations: (await listInvitations(deps, actor, params.organization_guid)).map(presentInvitation),
    }),
  })

  route(http, tag, 'createInvitation: POST /v4/organizations/:organization_guid/invitations', {
    scope: 'members',
    access: (request) => {
      memberOfBody(request)
      organizationAdmin(request)
    },
    summary: 'Invite a user by email',
    description:
      'Sends an email with a link that works once, for seven days. Without a mail server, `delivery` is `not_sent` and `url` is the link, to pass on yourself. Whoever opens it chooses a login and a password, and joins the group. Requires administrator rights in the organization.',
    body: InvitationBody,
    response: { 201: NewInvitation },
    // Takes no Idempotency-Key: sending the mail would keep the transaction open.
    answer: async ({ actor, params, body }) => {
      const { email, group_guid: groupGuid } = body
      const input = { email, groupGuid, role: body.role ?? 'member', organizationGuid: params.organization_guid }
      const { invitation, url } = await invite(deps, actor, input)
      return { ...presentInvitation(invitation), ...(url !== undefined && { url }) }
    },
  })

  route(http, tag, 'getInvitation: GET /v4/organizations/:organization_guid/invitations/:invitation_guid', {
    scope: 'members',
    access: organizationAuditor,
    summary: 'Get an open invitation',
    description: 'Until it is accepted, revoked or expired. For administrators and auditors of the organization.',
    response: { 200: Invitation, ...refusals(404) },
    answer: async ({ actor, params }) =>
      presentInvitation(await readInvitation(deps, actor, params.organization_guid, params.invitation_guid)),
  })

  route(http, tag, 'deleteInvitation: DELETE /v4/organizations/:organization_guid/invitations/:invitation_guid', {
    scope: 'members',
    access: organizationAdmin,
    summary: 'Revoke an invitation',
    description: 'Its link stops working at once. Requires administrator rights in the organization.',
    response: { 204: Type.Null({ description: 'The invitation was revoked' }), ...refusals(404) },
    answer: ({ actor, params }) => revokeInvitation(deps, actor, params.organization_guid, params.invitation_guid),
  })
}

function presentInvitation(invitation: CoreInvitation): Static<typeof Invitation> {
  return {
    guid: invitation.guid,
    email: invitation.email,
    organization_guid: invitation.organizationGuid,
    group_guid: invitation.groupGuid,
    role: invitation.role,
    invited_by: invitation.invitedBy,
    ...(invitation.delivery && { delivery: invitation.delivery }),
    created: timestamp(invitation.createdAt),
    expires: timestamp(invitation.expiresAt),
  }
}
