import type { Member } from '../core/accounts/group-store.js'
import { OperatorError } from '../lib/operator-error.js'
import { operatorCommand, table } from './administration.js'
import type { CommandContext, Flag, Word } from './command.js'

const login: Word = { name: 'LOGIN', description: 'The user.' }
const place: readonly Flag[] = [
  { name: 'group', value: 'GUID', description: 'The group (or use --organization).' },
  { name: 'organization', value: 'GUID', description: 'The organization (or use --group).' },
]

/** Roles as they are called everywhere, and as they are stored; `admin` is what they were called here before. */
const rolesIn = {
  organization: { 'org-admin': 'admin', auditor: 'auditor', member: 'member', admin: 'admin' },
  group: { 'group-admin': 'admin', member: 'member', reader: 'reader', admin: 'admin' },
} as const satisfies Record<Member['in'], Readonly<Record<string, Member['role']>>>

function roleName(role: Member['role'], place: Member['in']): string {
  return role !== 'admin' ? role : place === 'group' ? 'group-admin' : 'org-admin'
}

export const memberList = operatorCommand('member list', 'listMembers', {
  summary: 'List the members of groups and organizations',
  input: () => ({}),
  text: (members) => {
    const rows = members.map((member) => [member.login, roleName(member.role, member.in), member.in, member.guid])
    return table(['LOGIN', 'ROLE', 'IN', 'GUID'], rows, 'There are no members.')
  },
})

export const memberSet = operatorCommand('member set', 'setMember', {
  summary: 'Give a user a role in a group or an organization',
  words: [login],
  flags: [
    ...place,
    {
      name: 'role',
      value: 'ROLE',
      description: 'org-admin, auditor or member of an organization; group-admin, member or reader of a group.',
      required: true,
    },
  ],
  input: (context) => {
    const place = placeFrom(context)
    const roles = new Map<string, Member['role']>(
      Object.entries(rolesIn[place.groupGuid === undefined ? 'organization' : 'group']),
    )
    const role = roles.get(context.flag('role') ?? '')
    if (role === undefined) {
      const names = [...roles.keys()].filter((name) => name !== 'admin')
      throw new OperatorError(`--role must be one of ${names.join(', ')}.`, 2)
    }
    return { login: context.word('LOGIN'), role, ...place }
  },
  text: ({ login, role, groupGuid, organizationGuid }) =>
    `User ${login} is now ${roleName(role, groupGuid === undefined ? 'organization' : 'group')} of ${groupGuid ?? organizationGuid}.`,
})

export const memberRemove = operatorCommand('member remove', 'removeMember', {
  summary: 'Remove a user from a group, or from an organization and all its groups',
  words: [login],
  flags: place,
  input: (context) => ({ login: context.word('LOGIN'), ...placeFrom(context) }),
  text: (removed) => `User ${removed.login} was removed.`,
})

function placeFrom({ flag }: CommandContext): { groupGuid: string | undefined; organizationGuid: string | undefined } {
  const groupGuid = flag('group')
  const organizationGuid = flag('organization')
  if ((groupGuid === undefined) === (organizationGuid === undefined)) {
    throw new OperatorError('Give either --group GUID or --organization GUID.', 2)
  }
  return { groupGuid, organizationGuid }
}
