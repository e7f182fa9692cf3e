import { columns } from '../lib/columns.js'
import { administer, operatorCommand, recordOptions, table } from './administration.js'
import type { Command, Word } from './command.js'

const organization: Word = { name: 'GUID', description: 'The organization, as shown by "organization list" (O...).' }
const group: Word = { name: 'GUID', description: 'The group, as shown by "group list" (B...).' }
const newName: Word = { name: 'NAME', description: 'The new name.' }

export const organizationCreate = operatorCommand('organization create', 'createOrganization', {
  summary: 'Create an organization with its first administrator',
  words: [{ name: 'NAME', description: 'Display name.' }],
  flags: [{ name: 'admin', value: 'LOGIN', description: 'Login of its first administrator.', required: true }],
  input: ({ word, flag }) => ({ name: word('NAME'), admin: flag('admin') ?? '' }),
  text: ({ guid }) => [
    `Organization ${guid} was created.`,
    `It has no group yet: "shortlink group create NAME --organization ${guid}".`,
  ],
})

export const organizationList = operatorCommand('organization list', 'listOrganizations', {
  summary: 'List organizations',
  input: () => ({}),
  text: (organizations) => {
    const rows = organizations.map(({ guid, name }) => [guid, name])
    return table(['GUID', 'NAME'], rows, 'There are no organizations.')
  },
})

export const organizationRename = operatorCommand('organization rename', 'renameOrganization', {
  summary: 'Rename an organization',
  words: [organization, newName],
  input: ({ word }) => ({ guid: word('GUID'), name: word('NAME') }),
  text: ({ guid, name }) => `Organization ${guid} is now called "${name}".`,
})

export const groupCreate = operatorCommand('group create', 'createGroup', {
  summary: 'Create a group in an organization',
  words: [{ name: 'NAME', description: 'Display name.' }],
  flags: [{ name: 'organization', value: 'GUID', description: 'Organization of the group; default: the oldest.' }],
  input: ({ word, flag }) => ({ name: word('NAME'), organizationGuid: flag('organization') }),
  text: ({ guid, organizationGuid }) => `Group ${guid} was created in organization ${organizationGuid}.`,
})

export const groupList = operatorCommand('group list', 'listGroups', {
  summary: 'List groups',
  input: () => ({}),
  text: (groups) => {
    const rows = groups.map((each) => [each.guid, each.organizationGuid, stateOf(each), each.name])
    return table(['GUID', 'ORGANIZATION', 'STATE', 'NAME'], rows, 'There are no groups.')
  },
})

export const groupRename = operatorCommand('group rename', 'renameGroup', {
  summary: 'Rename a group',
  words: [group, newName],
  input: ({ word }) => ({ guid: word('GUID'), name: word('NAME') }),
  text: ({ guid, name }) => `Group ${guid} is now called "${name}".`,
})

export const groupRemove = operatorCommand('group remove', 'removeGroup', {
  summary: 'Remove a group; nobody can use it any more, but its links keep redirecting',
  words: [group],
  input: ({ word }) => ({ guid: word('GUID') }),
  json: ({ guid }) => ({ guid }),
  text: ({ guid }) => [
    `Group ${guid} is removed. Its links keep redirecting, and their clicks are counted.`,
    `"shortlink group restore ${guid}" restores it, except for its branded domains.`,
  ],
})

export const groupRestore = operatorCommand('group restore', 'restoreGroup', {
  summary: 'Restore a removed group',
  words: [group],
  input: ({ word }) => ({ guid: word('GUID') }),
  json: ({ guid }) => ({ guid }),
  text: ({ guid }) => `Group ${guid} is restored.`,
})

function stateOf({ isActive }: { readonly isActive: boolean }): string {
  return isActive ? 'active' : 'removed'
}

export const organizationPlan: Command = {
  name: 'organization plan',
  summary: 'Show or set the plan of an organization, and show its usage',
  words: [{ name: 'GUID', description: 'The organization.' }],
  flags: [
    { name: 'set', value: 'PLAN', description: 'The new plan.' },
    { name: 'force', description: 'Allow a plan without API access, which locks the organization out at once.' },
    { name: 'json', description: 'Print JSON instead of text.' },
  ],
  options: [...recordOptions, 'plans', 'defaultPlan'],
  async run({ config, word, flag, switched, print }) {
    const organizationGuid = word('GUID')
    const plan = flag('set')
    const now =
      plan === undefined
        ? await administer(config, 'readPlan', { organizationGuid })
        : await administer(config, 'setPlan', { organizationGuid, plan, force: switched('force') })
    if (switched('json')) return print(JSON.stringify(now))
    print(`Organization ${organizationGuid} ${plan === undefined ? 'has' : 'now has'} the plan "${now.plan}".`)
    const rows = now.limits.map(({ name, limit, count }) => [name, String(limit ?? 'no limit'), String(count)])
    print(columns([['THIS MONTH', 'LIMIT', 'USED'], ...rows]).join('\n'))
  },
}
