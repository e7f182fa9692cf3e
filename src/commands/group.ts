import { columns } from '../lib/columns.js'
import { administer, recordOptions } from './administration.js'
import type { Command, Flag, Word } from './command.js'

const json: Flag = { name: 'json', description: 'Print JSON instead of text.' }

const organization: Word = { name: 'GUID', description: 'The organization, as shown by "organization list" (O...).' }
const group: Word = { name: 'GUID', description: 'The group, as shown by "group list" (B...).' }
const newName: Word = { name: 'NAME', description: 'The new name.' }

export const organizationCreate: Command = {
  name: 'organization create',
  summary: 'Create an organization with its first administrator',
  words: [{ name: 'NAME', description: 'Display name.' }],
  flags: [{ name: 'admin', value: 'LOGIN', description: 'Login of its first administrator.', required: true }, json],
  options: recordOptions,
  async run({ config, word, flag, switched, print }) {
    const created = await administer(config, 'createOrganization', { name: word('NAME'), admin: flag('admin') ?? '' })
    if (switched('json')) return print(JSON.stringify(created))
    print(`Organization ${created.guid} was created.`)
    print(`It has no group yet: "shortlink group create NAME --organization ${created.guid}".`)
  },
}

export const organizationList: Command = {
  name: 'organization list',
  summary: 'List organizations',
  flags: [json],
  options: recordOptions,
  async run({ config, switched, print }) {
    const organizations = await administer(config, 'listOrganizations', {})
    if (switched('json')) return print(JSON.stringify(organizations))
    if (organizations.length === 0) return print('There are no organizations.')
    print(columns([['GUID', 'NAME'], ...organizations.map(({ guid, name }) => [guid, name])]).join('\n'))
  },
}

export const organizationRename: Command = {
  name: 'organization rename',
  summary: 'Rename an organization',
  words: [organization, newName],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const renamed = await administer(config, 'renameOrganization', { guid: word('GUID'), name: word('NAME') })
    print(switched('json') ? JSON.stringify(renamed) : `Organization ${renamed.guid} is now called "${renamed.name}".`)
  },
}

export const groupCreate: Command = {
  name: 'group create',
  summary: 'Create a group in an organization',
  words: [{ name: 'NAME', description: 'Display name.' }],
  flags: [
    { name: 'organization', value: 'GUID', description: 'Organization of the group; default: the oldest.' },
    json,
  ],
  options: recordOptions,
  async run({ config, word, flag, switched, print }) {
    const input = { name: word('NAME'), organizationGuid: flag('organization') }
    const created = await administer(config, 'createGroup', input)
    if (switched('json')) return print(JSON.stringify(created))
    print(`Group ${created.guid} was created in organization ${created.organizationGuid}.`)
  },
}

export const groupList: Command = {
  name: 'group list',
  summary: 'List groups',
  flags: [json],
  options: recordOptions,
  async run({ config, switched, print }) {
    const groups = await administer(config, 'listGroups', {})
    if (switched('json')) return print(JSON.stringify(groups))
    if (groups.length === 0) return print('There are no groups.')
    const rows = groups.map(({ guid, organizationGuid, name, isActive }) => [
      guid,
      organizationGuid,
      isActive ? 'active' : 'removed',
      name,
    ])
    print(columns([['GUID', 'ORGANIZATION', 'STATE', 'NAME'], ...rows]).join('\n'))
  },
}

export const groupRename: Command = {
  name: 'group rename',
  summary: 'Rename a group',
  words: [group, newName],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const renamed = await administer(config, 'renameGroup', { guid: word('GUID'), name: word('NAME') })
    print(switched('json') ? JSON.stringify(renamed) : `Group ${renamed.guid} is now called "${renamed.name}".`)
  },
}

export const groupRemove: Command = {
  name: 'group remove',
  summary: 'Remove a group; nobody can use it any more, but its links keep redirecting',
  words: [group],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const { guid } = await administer(config, 'removeGroup', { guid: word('GUID') })
    if (switched('json')) return print(JSON.stringify({ guid }))
    print(`Group ${guid} is removed. Its links keep redirecting, and their clicks are counted.`)
    print(`"shortlink group restore ${guid}" restores it, except for its branded domains.`)
  },
}

export const groupRestore: Command = {
  name: 'group restore',
  summary: 'Restore a removed group',
  words: [group],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const { guid } = await administer(config, 'restoreGroup', { guid: word('GUID') })
    print(switched('json') ? JSON.stringify({ guid }) : `Group ${guid} is restored.`)
  },
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
