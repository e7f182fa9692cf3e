import { columns } from '../lib/columns.js'
import { administer, recordOptions } from './administration.js'
import type { Command, Flag } from './command.js'

const json: Flag = { name: 'json', description: 'Print JSON for a program instead of text for people.' }

export const organizationCreate: Command = {
  name: 'organization create',
  summary: 'Add an organization with its first administrator',
  words: [{ name: 'NAME', description: 'What people call it.' }],
  flags: [{ name: 'admin', value: 'LOGIN', description: 'A user who administers it.', required: true }, json],
  options: recordOptions,
  async run({ config, word, flag, switched, print }) {
    const created = await administer(config, 'createOrganization', { name: word('NAME'), admin: flag('admin') ?? '' })
    if (switched('json')) return print(JSON.stringify(created))
    print(`Organization ${created.guid} was added.`)
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

export const groupCreate: Command = {
  name: 'group create',
  summary: 'Add a group to an organization',
  words: [{ name: 'NAME', description: 'What people call it.' }],
  flags: [{ name: 'organization', value: 'GUID', description: 'Whose it is; the oldest unless given.' }, json],
  options: recordOptions,
  async run({ config, word, flag, switched, print }) {
    const wish = { name: word('NAME'), organizationGuid: flag('organization') }
    const created = await administer(config, 'createGroup', wish)
    if (switched('json')) return print(JSON.stringify(created))
    print(`Group ${created.guid} was added to organization ${created.organizationGuid}.`)
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
    const rows = groups.map(({ guid, organizationGuid, name }) => [guid, organizationGuid, name])
    print(columns([['GUID', 'ORGANIZATION', 'NAME'], ...rows]).join('\n'))
  },
}
