import { columns } from '../lib/columns.js'
import { administer, recordOptions } from './administration.js'
import type { Command, Flag, Word } from './command.js'

const json: Flag = { name: 'json', description: 'Print JSON for a program instead of text for people.' }

const organization: Word = { name: 'GUID', description: 'The organization, as "organization list" shows it (O...).' }
const group: Word = { name: 'GUID', description: 'The group, as "group list" shows it (B...).' }
const newName: Word = { name: 'NAME', description: 'What people will call it.' }

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

export const organizationRename: Command = {
  name: 'organization rename',
  summary: 'Give an organization another name',
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
  summary: 'Add a group to an organization',
  words: [{ name: 'NAME', description: 'What people call it.' }],
  flags: [{ name: 'organization', value: 'GUID', description: 'Whose it is; the oldest unless given.' }, json],
  options: recordOptions,
  async run({ config, word, flag, switched, print }) {
    const input = { name: word('NAME'), organizationGuid: flag('organization') }
    const created = await administer(config, 'createGroup', input)
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
  summary: 'Give a group another name',
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
  summary: 'Remove a group: nobody reaches it any more, its links go on redirecting',
  words: [group],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const { guid } = await administer(config, 'removeGroup', { guid: word('GUID') })
    if (switched('json')) return print(JSON.stringify({ guid }))
    print(`Group ${guid} is removed. Its links go on redirecting, and their clicks are counted.`)
    print(`"shortlink group restore ${guid}" brings it back with everything in it but its branded domains.`)
  },
}

export const groupRestore: Command = {
  name: 'group restore',
  summary: 'Bring a removed group back',
  words: [group],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const { guid } = await administer(config, 'restoreGroup', { guid: word('GUID') })
    print(switched('json') ? JSON.stringify({ guid }) : `Group ${guid} is back.`)
  },
}
