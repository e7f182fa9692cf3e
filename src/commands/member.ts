import type { MemberRole } from '../core/accounts/group-store.js'
import { columns } from '../lib/columns.js'
import { OperatorError } from '../lib/operator-error.js'
import { administer, recordOptions } from './administration.js'
import type { Command, CommandContext, Flag, Word } from './command.js'

const json: Flag = { name: 'json', description: 'Print JSON instead of text.' }
const login: Word = { name: 'LOGIN', description: 'The user.' }
const place: readonly Flag[] = [
  { name: 'group', value: 'GUID', description: 'The group (or use --organization).' },
  { name: 'organization', value: 'GUID', description: 'The organization (or use --group).' },
]
const roles: readonly MemberRole[] = ['admin', 'member', 'reader']

export const memberList: Command = {
  name: 'member list',
  summary: 'List the members of groups and organizations',
  flags: [json],
  options: recordOptions,
  async run({ config, switched, print }) {
    const members = await administer(config, 'listMembers', {})
    if (switched('json')) return print(JSON.stringify(members))
    if (members.length === 0) return print('There are no members.')
    const rows = members.map((member) => [member.login, member.role, member.in, member.guid])
    print(columns([['LOGIN', 'ROLE', 'IN', 'GUID'], ...rows]).join('\n'))
  },
}

export const memberSet: Command = {
  name: 'member set',
  summary: 'Give a user a role in a group or an organization',
  words: [login],
  flags: [
    ...place,
    { name: 'role', value: roles.join('|'), description: 'The role; reader is a role of groups only.', required: true },
    json,
  ],
  options: recordOptions,
  async run(context) {
    const { config, word, flag, switched, print } = context
    const role = roles.find((known) => known === flag('role'))
    if (role === undefined) throw new OperatorError(`--role must be one of ${roles.join(', ')}.`, 2)
    const set = await administer(config, 'setMember', { login: word('LOGIN'), role, ...placeFrom(context) })
    if (switched('json')) return print(JSON.stringify(set))
    print(`User ${set.login} is now ${set.role} of ${set.groupGuid ?? set.organizationGuid}.`)
  },
}

export const memberRemove: Command = {
  name: 'member remove',
  summary: 'Remove a user from a group, or from an organization and all its groups',
  words: [login],
  flags: [...place, json],
  options: recordOptions,
  async run(context) {
    const { config, word, switched, print } = context
    const removed = await administer(config, 'removeMember', { login: word('LOGIN'), ...placeFrom(context) })
    print(switched('json') ? JSON.stringify(removed) : `User ${removed.login} was removed.`)
  },
}

function placeFrom({ flag }: CommandContext): { groupGuid: string | undefined; organizationGuid: string | undefined } {
  const groupGuid = flag('group')
  const organizationGuid = flag('organization')
  if ((groupGuid === undefined) === (organizationGuid === undefined)) {
    throw new OperatorError('Give either --group GUID or --organization GUID.', 2)
  }
  return { groupGuid, organizationGuid }
}
