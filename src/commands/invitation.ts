import { invitationUrl } from '../core/sign-in/messages.js'
import { OperatorError } from '../lib/operator-error.js'
import { minute, operatorCommand, recordOptions, runningService, table } from './administration.js'
import type { CommandContext } from './command.js'

const roles = ['org-admin', 'auditor', 'group-admin', 'member', 'reader'] as const

export const invitationCreate = operatorCommand('invitation create', 'invite', {
  summary: 'Create an invitation and print its link; no mail is sent',
  words: [{ name: 'ADDRESS', description: 'E-mail address of the new account.' }],
  flags: [
    { name: 'role', value: roles.join('|'), description: 'Role of the new user; default: member.' },
    { name: 'group', value: 'GUID', description: 'First group of the new user; default: the oldest.' },
  ],
  options: [...recordOptions, 'baseUrl'],
  input: ({ word, flag }) => {
    const given = flag('role')
    const role = roles.find((known) => known === given)
    if (given !== undefined && !role) throw new OperatorError(`--role must be one of ${roles.join(', ')}.`, 2)
    return { email: word('ADDRESS'), role, groupGuid: flag('group') }
  },
  async json({ secret, ...invitation }, context) {
    return { ...invitation, url: await urlOf(secret, context) }
  },
  text: async ({ guid, email, secret }, context) => [
    await urlOf(secret, context),
    `Invitation ${guid} for ${email}. The link works once, for seven days, and is shown only now.`,
  ],
})

export const invitationList = operatorCommand('invitation list', 'listInvitations', {
  summary: 'List open invitations',
  input: () => ({}),
  text: (invitations) => {
    const rows = invitations.map(({ guid, email, role, groupGuid, invitedBy, delivery, expiresAt }) => {
      const mail = delivery === 'not_sent' ? 'not sent' : (delivery ?? '-')
      return [guid, email, role, groupGuid, invitedBy, mail, minute(expiresAt)]
    })
    const heading = ['GUID', 'ADDRESS', 'ROLE', 'GROUP', 'INVITED BY', 'MAIL', 'VALID UNTIL']
    return table(heading, rows, 'There are no open invitations.')
  },
})

export const invitationRevoke = operatorCommand('invitation revoke', 'revokeInvitation', {
  summary: 'Revoke an invitation',
  words: [{ name: 'GUID', description: 'The invitation, as shown by "invitation list" (N...).' }],
  input: ({ word }) => ({ guid: word('GUID') }),
  text: (revoked) => `Invitation ${revoked.guid} is revoked.`,
})

async function urlOf(secret: string, context: CommandContext): Promise<string> {
  const { config, settings, note } = context
  const running = await runningService(config)
  const { servedBaseUrl } = await import('../runtime/stores/data-version.js')
  const served = settings.sources.baseUrl.from === 'flag' ? undefined : servedBaseUrl(config.dataDir)
  const baseUrl = running?.get('baseUrl') ?? served ?? config.baseUrl
  if (!running)
    note(`No service runs on ${config.dataDir}: the link begins with ${baseUrl}${served ? ', as it last did' : ''}.`)
  return invitationUrl(baseUrl, secret)
}
