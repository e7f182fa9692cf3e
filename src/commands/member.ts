import type { MemberRole } from '../core/accounts/group-store.js'
import { OperatorError } from '../lib/operator-error.js'
import { operatorCommand, table } from './administration.js'
import type { CommandContext, Flag, Word } from './command.js'

const login: Word = { name: 'LOGIN', description: 'The user.' }
const place: readonly Flag[] = [
  { name: 'group', value: 'GUID', description: 'The group (or use --organization).' },
  { name: 'organization', value: 'GUID', description: 'The organization (or use --group).' },
]
const roles: readonly MemberRole[] = ['admin', 'member', 'reader']

export const memberList = operatorCommand({
  name: 'member list',
  summary: 'List the members of groups and organizations',
  operation: 'listMembers',
  input: () => ({}),
  text: (members) => {
    const rows = members.map((member) => [member.login, member.role, member.in, member.guid])
    return table(['LOGIN', 'ROLE', 'IN', 'GUID'], rows, 'There are no members.')
  },
})

export const memberSet = operatorCommand({
  name: 'member set',
  summary: 'Give a user a role in a group or an organization',
  words: [login],
  flags: [
    ...place,
    { name: 'role', value: roles.join('|'), description: 'The role; reader is a role of groups only.', required: true },
  ],
  operation: 'setMember',
  input: (context) => {
    const role = roles.find((known) => known === context.flag('role'))
    if (role === undefined) throw new OperatorError(`--role must be one of ${roles.join(', ')}.`, 2)
    return { login: context.word('LOGIN'), role, ...placeFrom(context) }
  },
  text: (set) => `User ${set.login} is now ${set.role} of ${set.groupGuid ?? set.organizationGuid}.`,
})

export const memberRemove = operatorCommand({
  name: 'member remove',
  summary: 'Remove a user from a group, or from an organization and all its groups',
  words: [login],
  flags: place,
  operation: 'removeMember',
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
