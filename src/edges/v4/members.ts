/** Members of organizations and groups. An addition: the public service offers this only as web pages. */
import { type Static, Type } from 'typebox'
import type { MemberRole, OrganizationMember } from '../../core/accounts/group-store.js'
import { type MemberDeps, removeMember, setMember } from '../../core/administration/members.js'
import { type IdentityProvider, nameOfIssuer } from '../../core/identity-providers/provider.js'
import { quoted, Refusal } from '../../core/values/refusal.js'
import { loginRule } from '../../lib/credentials.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { groupAdmin, groupMember, organizationAdmin, organizationAuditor } from './access.js'
import { route } from './route.js'
import { refusals } from './schemas/error.js'
import { choice } from './schemas/fields.js'
import { listAnswer } from './schemas/lists.js'

export interface MemberRouteDeps extends MemberDeps {
  /** Actors are cached with their roles. */
  readonly tokens: { clear(): void }
  readonly identityProviders: readonly Pick<IdentityProvider, 'settings'>[]
}

const organizationRole = choice(
  ['admin', 'auditor', 'member'],
  '`admin` may change everything in the organization and its groups; `auditor` reads everything and changes nothing',
)
const groupRoles = ['group-admin', 'member', 'reader'] as const
const groupRole = Type.Enum([...groupRoles], {
  type: 'string',
  description: '`group-admin` also changes the group itself, `reader` changes nothing',
})

const Member = Type.Object(
  {
    login: Type.String({ examples: ['ben'] }),
    name: Type.String({ examples: ['Ben Novak'] }),
    email: Type.Optional(Type.String({ examples: ['ben@example.com'] })),
    is_active: Type.Boolean({ description: 'False if the operator has deactivated the account', examples: [true] }),
    role: organizationRole,
    groups: Type.Array(Type.Object({ group_guid: Type.String(), role: groupRole }), {
      description:
        'Groups of the organization that the member is in. Administrators may use all of them, and auditors read them',
    }),
    identity_providers: Type.Array(Type.String(), {
      description: 'Names of the identity providers that they have signed in with, or that keep them by SCIM',
      examples: [['Example Inc.']],
    }),
  },
  { title: 'Member', description: 'A member of the organization' },
)

const GroupMember = Type.Object(
  {
    ...Type.Pick(Member, ['login', 'name', 'is_active']).properties,
    role: Type.Enum(['org-admin', 'auditor', ...groupRoles], {
      type: 'string',
      description:
        '`org-admin` is an administrator of the organization, who may use all its groups, `auditor` reads all',
    }),
  },
  { title: 'GroupMember', description: 'Somebody with access to the group' },
)

const gone = { 204: Type.Null({ description: 'They are no longer a member' }) }

export function memberRoutes(http: TypedFastify, all: MemberRouteDeps): void {
  const deps: MemberDeps = { ...all, onAccessChanged: () => all.tokens.clear() }

  const present = (member: OrganizationMember) => ({
    ...presentMember(member),
    identity_providers: member.issuers.map((issuer) => nameOfIssuer(all.identityProviders, issuer)),
  })
  const memberOf = async (organizationGuid: string, login: string) => {
    const member = (await deps.groups.organizationMembers(organizationGuid)).find((each) => each.login === login)
    // Removed since.
    if (!member) throw unknownUser(login)
    return member
  }

  route(http, 'Organizations', 'listMembers: GET /v4/organizations/:organization_guid/members', {
    scope: 'members',
    list: { name: 'members', by: 'login' },
    access: organizationAuditor,
    summary: 'List the members of an organization',
    description: 'With their roles in the organization and in its groups. For administrators and auditors.',
    response: { 200: listAnswer('members', Member, 'Ordered by login') },
    answer: async ({ params }) => ({
      members: (await deps.groups.organizationMembers(params.organization_guid)).map(present),
    }),
  })

  route(http, 'Organizations', 'updateMember: PUT /v4/organizations/:organization_guid/members/:login', {
    scope: 'members',
    access: organizationAdmin,
    summary: 'Change the role of a member in an organization',
    description:
      'Only of members: others are invited. The last active administrator stays one. Requires administrator rights.',
    body: Type.Object({ role: organizationRole }),
    response: { 200: Member, ...refusals(404) },
    answer: async ({ actor, params, body }) => {
      await setMember(deps, actor, {
        login: possibleLogin(params.login),
        organizationGuid: params.organization_guid,
        role: body.role,
        onlyMembers: 'only-members',
      })
      return present(await memberOf(params.organization_guid, params.login))
    },
  })

  route(http, 'Organizations', 'deleteMember: DELETE /v4/organizations/:organization_guid/members/:login', {
    scope: 'members',
    access: organizationAdmin,
    summary: 'Remove a member from an organization',
    description:
      'And from all its groups. Their links stay, and so does their account. The last active administrator stays. Requires administrator rights.',
    response: { ...gone, ...refusals(404) },
    answer: async ({ actor, params }) => {
      await removeMember(deps, actor, {
        login: possibleLogin(params.login),
        organizationGuid: params.organization_guid,
      })
    },
  })

  route(http, 'Groups', 'listGroupMembers: GET /v4/groups/:group_guid/members', {
    scope: ['links:read', 'members'],
    list: { name: 'members', by: 'login' },
    access: groupMember,
    summary: 'List the members of a group',
    description: 'With their roles in the group. For everybody with access to it, to know who made a link.',
    response: { 200: listAnswer('members', GroupMember, 'Ordered by login') },
    answer: async ({ params }, { organizationGuid }) => ({
      members: (await deps.groups.organizationMembers(organizationGuid)).flatMap((member) =>
        presentGroupMember(member, params.group_guid),
      ),
    }),
  })

  route(http, 'Groups', 'updateGroupMember: PUT /v4/groups/:group_guid/members/:login', {
    scope: 'members',
    access: groupAdmin,
    summary: 'Add a member of the organization to a group, or change the role',
    description: 'Only members of the organization: others are invited. Requires administrator rights in the group.',
    body: Type.Object({ role: groupRole }),
    response: { 200: GroupMember, ...refusals(404) },
    answer: async ({ actor, params, body }, { organizationGuid }) => {
      await setMember(deps, actor, {
        login: possibleLogin(params.login),
        groupGuid: params.group_guid,
        role: storedRole(body.role),
        onlyMembers: 'only-members',
      })
      const [member] = presentGroupMember(await memberOf(organizationGuid, params.login), params.group_guid)
      if (!member) throw unknownUser(params.login)
      return member
    },
  })

  route(http, 'Groups', 'deleteGroupMember: DELETE /v4/groups/:group_guid/members/:login', {
    scope: 'members',
    access: groupAdmin,
    summary: 'Remove a member from a group',
    description: 'They stay in the organization and in its other groups. Requires administrator rights in the group.',
    response: { ...gone, ...refusals(404) },
    answer: async ({ actor, params }) => {
      await removeMember(deps, actor, { login: possibleLogin(params.login), groupGuid: params.group_guid })
    },
  })
}

/** PostgreSQL cannot look for every text, and what is no login belongs to nobody. */
function possibleLogin(login: string): string {
  if (loginRule.test(login)) return login
  throw unknownUser(login)
}

function unknownUser(login: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no user ${quoted(login)}.`, { resource: 'users' })
}

/** A group stores `admin`, and the API says `group-admin`. */
function storedRole(role: Static<typeof groupRole>): MemberRole {
  return role === 'group-admin' ? 'admin' : role === 'reader' ? 'reader' : 'member'
}

function presentMember({ login, name, email, isActive, role, groups }: OrganizationMember) {
  return {
    login,
    name,
    ...(email !== undefined && { email }),
    is_active: isActive,
    role,
    groups: groups.map((each) => ({ group_guid: each.groupGuid, role: shownRole(each.role) })),
  }
}

function shownRole(role: MemberRole): Static<typeof groupRole> {
  return role === 'admin' ? 'group-admin' : role
}

/** Nothing for members of the organization without access to the group. */
function presentGroupMember(member: OrganizationMember, groupGuid: string): Static<typeof GroupMember>[] {
  const { login, name, isActive } = member
  const own = member.groups.find((each) => each.groupGuid === groupGuid)
  if (member.role === 'admin') return [{ login, name, is_active: isActive, role: 'org-admin' }]
  if (member.role === 'auditor') return [{ login, name, is_active: isActive, role: member.role }]
  return own ? [{ login, name, is_active: isActive, role: shownRole(own.role) }] : []
}
