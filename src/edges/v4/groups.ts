import { type Static, Type } from 'typebox'
import { requireGroupAdmin, requireOrganizationAdmin } from '../../core/accounts/actor.js'
import { removeGroup } from '../../core/administration/groups.js'
import {
  changePreferences,
  type PreferenceDeps,
  type Preferences,
  readPreferences,
} from '../../core/domains/preferences.js'
import {
  type ChangeGroupDeps,
  changeGroup,
  listGroups,
  listTags,
  type OwnGroup,
  readGroup,
} from '../../core/groups/groups.js'
import { invalid } from '../../core/values/refusal.js'
import { timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { emptyRemoves } from '../http/validation.js'
import { everybody, groupAdmin, groupMember, memberOfBody, textIn } from './access.js'
import { type BaseUrlDeps, route } from './route.js'
import { Group, GroupPreferences } from './schemas/accounts.js'
import { nameBounds, ownDomainBounds } from './schemas/bounds.js'
import { named, optionalText } from './schemas/fields.js'
import { listAnswer } from './schemas/lists.js'

export type GroupRouteDeps = ChangeGroupDeps & PreferenceDeps & BaseUrlDeps

const GroupBody = Type.Object({
  name: Type.Optional(Type.String(nameBounds)),
  organization_guid: optionalText('Moves the group to this organization; requires administrator rights in both'),
  bsds: Type.Optional(
    Type.Array(Type.String(ownDomainBounds), {
      maxItems: 1000,
      description: "Replaces the group's branded domains; requires administrator rights in the organization",
    }),
  ),
  time_zone: optionalText(
    'A name of the time zone database, in which the dashboard shows the numbers of the group. Send an empty string to ' +
      'remove it',
    { ...emptyRemoves, examples: ['Europe/Berlin'] },
  ),
})

const PreferencesBody = Type.Object({
  group_guid: Type.Optional(Type.String({ description: 'Must be the group in the path, if sent' })),
  domain_preference: optionalText(
    'A built-in domain or a branded domain of the group; empty for the default of the service',
    emptyRemoves,
  ),
})

const TagsQuery = Type.Object({
  type: Type.Optional(Type.Enum(['shortlink', 'qr_code'], { type: 'string', default: 'shortlink' })),
})

export function groupRoutes(http: TypedFastify, deps: GroupRouteDeps): void {
  const { baseUrl } = deps.config

  route(http, 'Groups', 'listGroups: GET /v4/groups', {
    scope: 'any',
    list: { name: 'groups', by: 'guid' },
    access: everybody,
    summary: 'List your groups',
    description: 'Those you are a member of, with your role in each.',
    querystring: Type.Object({
      organization_guid: Type.Optional(Type.String({ description: 'Only groups of this organization' })),
    }),
    response: { 200: listAnswer('groups', named(Group, 'A group'), 'Oldest first') },
    answer: async (request) => {
      const groups = await listGroups(deps, request.actor, request.query.organization_guid)
      return { groups: groups.map((group) => presentGroup(group, baseUrl)) }
    },
  })

  route(http, 'Groups', 'getGroup: GET /v4/groups/:group_guid', {
    scope: 'any',
    access: groupMember,
    summary: 'Get a group',
    description: 'With your role in it and the branded domains it may use.',
    response: { 200: named(Group, 'The group') },
    answer: async (request) => presentGroup(await readGroup(deps, request.actor, request.params.group_guid), baseUrl),
  })

  route(http, 'Groups', 'updateGroup: PATCH /v4/groups/:group_guid', {
    scope: 'admin',
    access: ({ actor, params, body }) => {
      const { organizationGuid } = requireGroupAdmin(actor, params.group_guid)
      const other = textIn(body, 'organization_guid') ?? organizationGuid
      if (other !== organizationGuid) requireOrganizationAdmin(actor, other)
    },
    summary: 'Update a group',
    description:
      'Renames the group, moves it to another organization that you administer, or sets its branded domains or its time zone. Fields that are not sent stay unchanged.',
    body: GroupBody,
    response: { 200: named(Group, 'The updated group') },
    answer: async (request) => {
      const { name, organization_guid, bsds, time_zone: timeZone } = request.body
      const input = { name, organizationGuid: organization_guid, domains: bsds, timeZone }
      return presentGroup(await changeGroup(deps, request.actor, request.params.group_guid, input), baseUrl)
    },
  })

  route(http, 'Groups', 'deleteGroup: DELETE /v4/groups/:group_guid', {
    scope: 'admin',
    access: ({ actor, params }) =>
      requireOrganizationAdmin(actor, requireGroupAdmin(actor, params.group_guid).organizationGuid),
    summary: 'Remove a group',
    description:
      'Ends all access to the group. Its links keep redirecting, its sites leave the roots of domains, and the operator can ' +
      'restore it. Requires administrator rights in the organization, whose only group cannot be removed.',
    response: { 204: Type.Null({ description: 'The group was removed' }) },
    answer: async ({ actor, params }) => {
      await removeGroup({ ...deps, onAccessChanged: () => deps.tokens.clear() }, actor, { guid: params.group_guid })
      await deps.domains.refresh()
    },
  })

  route(http, 'Groups', 'getGroupPreferences: GET /v4/groups/:group_guid/preferences', {
    scope: 'any',
    access: groupMember,
    summary: 'Get the preferences of a group',
    description: 'The domain on which new links of the group are created.',
    response: { 200: named(GroupPreferences, 'The preferences') },
    answer: async (request) =>
      presentPreferences(await readPreferences(deps, request.actor, request.params.group_guid)),
  })

  route(http, 'Groups', 'updateGroupPreferences: PATCH /v4/groups/:group_guid/preferences', {
    scope: 'admin',
    access: (request) => {
      memberOfBody(request)
      groupAdmin(request)
    },
    summary: 'Update the preferences of a group',
    description: 'Sets the domain on which new links of the group are created.',
    body: PreferencesBody,
    response: { 200: named(GroupPreferences, 'The updated preferences') },
    answer: async (request) => {
      const { group_guid } = request.params
      const { group_guid: repeated = group_guid, domain_preference } = request.body
      // Clients may send back the whole object, but the group cannot change.
      if (repeated !== group_guid)
        throw invalid('groupGuid', 'group_guid must be the group in the path; you can leave it out.', 'groups')
      return presentPreferences(await changePreferences(deps, request.actor, group_guid, domain_preference))
    },
  })

  route(http, 'Groups', 'listGroupTags: GET /v4/groups/:group_guid/tags', {
    scope: 'links:read',
    list: { name: 'tags', by: undefined },
    access: groupMember,
    summary: 'List the tags of a group',
    description: 'Of its short links, or of its QR codes. Tags exist as long as something has them.',
    querystring: TagsQuery,
    response: { 200: listAnswer('tags', Type.String(), 'At most 1000, in alphabetical order') },
    answer: async (request) => ({
      tags: [...(await listTags(deps, request.actor, request.params.group_guid, request.query.type))],
    }),
  })
}

export function presentGroup({ group, role }: OwnGroup, baseUrl: string): Static<typeof Group> {
  return {
    references: { organization: `${baseUrl}/v4/organizations/${group.organizationGuid}` },
    name: group.name,
    guid: group.guid,
    created: timestamp(group.createdAt),
    modified: timestamp(group.modifiedAt),
    is_active: group.isActive,
    role,
    organization_guid: group.organizationGuid,
    bsds: [...group.domains],
    ...(group.timeZone !== undefined && { time_zone: group.timeZone }),
  }
}

function presentPreferences({ groupGuid, domainPreference }: Preferences): Static<typeof GroupPreferences> {
  return { group_guid: groupGuid, domain_preference: domainPreference }
}
