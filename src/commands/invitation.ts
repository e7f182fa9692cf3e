import { invitationUrl } from '../core/sign-in/messages.js'
import { columns } from '../lib/columns.js'
import { OperatorError } from '../lib/operator-error.js'
import { administer, recordOptions, serviceSettings } from './administration.js'
import type { Command, Flag } from './command.js'

const json: Flag = { name: 'json', description: 'Print JSON instead of text.' }
const roles = ['org-admin', 'group-admin', 'member', 'reader'] as const

export const invitationCreate: Command = {
  name: 'invitation create',
  summary: 'Create an invitation and print its link; no mail is sent',
  words: [{ name: 'ADDRESS', description: 'E-mail address of the new account.' }],
  flags: [
    { name: 'role', value: roles.join('|'), description: 'Role of the new user; default: member.' },
    { name: 'group', value: 'GUID', description: 'First group of the new user; default: the oldest.' },
    json,
  ],
  options: [...recordOptions, 'baseUrl'],
  async run(context) {
    const { config, word, flag, switched, print } = context
    const given = flag('role')
    const role = roles.find((known) => known === given)
    if (given !== undefined && !role) throw new OperatorError(`--role must be one of ${roles.join(', ')}.`, 2)
    const made = await administer(config, 'invite', { email: word('ADDRESS'), role, groupGuid: flag('group') })
    const { secret, ...invitation } = made
    const { get } = await serviceSettings(context)
    const url = invitationUrl(get('baseUrl') ?? config.baseUrl, secret)
    if (switched('json')) return print(JSON.stringify({ ...invitation, url }))
    print(url)
    print(`Invitation ${made.guid} for ${made.email}. The link works once, for seven days, and is shown only now.`)
  },
}

export const invitationList: Command = {
  name: 'invitation list',
  summary: 'List open invitations',
  flags: [json],
  options: recordOptions,
  async run({ config, switched, print }) {
    const invitations = await administer(config, 'listInvitations', {})
    if (switched('json')) return print(JSON.stringify(invitations))
    if (invitations.length === 0) return print('There are no open invitations.')
    const rows = invitations.map((each) => [
      each.guid,
      each.email,
      each.role,
      each.groupGuid,
      each.invitedBy,
      new Date(each.expiresAt).toISOString().slice(0, 16).replace('T', ' '),
    ])
    print(columns([['GUID', 'ADDRESS', 'ROLE', 'GROUP', 'INVITED BY', 'VALID UNTIL'], ...rows]).join('\n'))
  },
}

export const invitationRevoke: Command = {
  name: 'invitation revoke',
  summary: 'Revoke an invitation',
  words: [{ name: 'GUID', description: 'The invitation, as shown by "invitation list" (I...).' }],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const revoked = await administer(config, 'revokeInvitation', { guid: word('GUID') })
    print(switched('json') ? JSON.stringify(revoked) : `Invitation ${revoked.guid} is revoked.`)
  },
}
