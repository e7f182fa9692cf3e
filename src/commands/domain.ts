import type { BrandedDomain } from '../core/domains/domain-store.js'
import { columns } from '../lib/columns.js'
import { OperatorError } from '../lib/operator-error.js'
import { administer, recordOptions } from './administration.js'
import type { Command, CommandContext, Flag, Word } from './command.js'

const json: Flag = { name: 'json', description: 'Print JSON instead of text.' }
const domain: Word = { name: 'NAME', description: 'The domain: a bare host name such as go.example.com.' }
const group: Flag = { name: 'group', value: 'GUID', description: 'The group.', required: true }
const options = [...recordOptions, 'domains', 'baseUrl', 'dnsTargets', 'dnsServers'] as const

const urls: readonly Flag[] = [
  { name: 'root-url', value: 'URL', description: 'Redirect target of the bare domain.' },
  { name: 'not-found-url', value: 'URL', description: 'Redirect target for links that do not exist.' },
]

export const domainAdd: Command = {
  name: 'domain add',
  summary: 'Add a branded short domain',
  words: [domain],
  flags: [
    {
      name: 'organization',
      value: 'GUID',
      description: 'Organization that owns it; default: the organization of the group, else the oldest.',
    },
    {
      name: 'group',
      value: 'GUID',
      description: 'Group that may create links on it; default: the only group.',
      repeatable: true,
    },
    ...urls,
    json,
  ],
  options,
  async run({ config, word, flag, values, switched, print }) {
    const added = await administer(config, 'addDomain', {
      domain: word('NAME'),
      organizationGuid: flag('organization'),
      groupGuids: values('group'),
      rootUrl: flag('root-url'),
      notFoundUrl: flag('not-found-url'),
    })
    if (switched('json')) return print(JSON.stringify(added))
    print(`Domain ${added.name} was added to organization ${added.organizationGuid}.`)
    if (added.groupGuids.length > 0) print(`Groups that may create links on it: ${added.groupGuids.join(', ')}.`)
    else {
      print(`No group may use it yet: "shortlink domain assign ${added.name} --group GUID".`)
    }
    print(`"shortlink domain verify ${added.name}" checks its DNS.`)
  },
}

export const domainList: Command = {
  name: 'domain list',
  summary: 'List branded short domains',
  flags: [{ name: 'organization', value: 'GUID', description: 'Only domains of this organization.' }, json],
  options: recordOptions,
  async run({ config, flag, switched, print }) {
    const domains = await administer(config, 'listDomains', { organizationGuid: flag('organization') })
    if (switched('json')) return print(JSON.stringify(domains))
    if (domains.length === 0) return print('There are no branded domains.')
    print(columns([['NAME', 'ORGANIZATION', 'STATE', 'GROUPS', 'ROOT', 'NOT FOUND'], ...domains.map(row)]).join('\n'))
  },
}

export const domainSet: Command = {
  name: 'domain set',
  summary: 'Set where a branded domain redirects visitors without a valid link',
  words: [domain],
  flags: [...urls.map((flag) => ({ ...flag, description: `${flag.description} An empty URL removes it.` })), json],
  options,
  async run({ config, word, flag, switched, print }) {
    const input = { rootUrl: flag('root-url'), notFoundUrl: flag('not-found-url') }
    if (input.rootUrl === undefined && input.notFoundUrl === undefined) {
      throw new OperatorError('Give --root-url URL, --not-found-url URL, or both.', 2)
    }
    const { name, rootUrl, notFoundUrl } = await administer(config, 'setDomain', { domain: word('NAME'), ...input })
    if (switched('json')) return print(JSON.stringify({ name, rootUrl, notFoundUrl }))
    print(`Visitors of ${name} itself are redirected to ${rootUrl ?? 'a page of the service'}.`)
    print(`Visitors of links that do not exist are redirected to ${notFoundUrl ?? 'a page of the service'}.`)
  },
}

export const domainVerify: Command = {
  name: 'domain verify',
  summary: 'Check now whether the DNS of a branded domain points here',
  words: [domain],
  flags: [json],
  options,
  async run({ config, word, switched, print }) {
    const { dns } = await administer(config, 'verifyDomain', { domain: word('NAME') })
    print(switched('json') ? JSON.stringify(dns) : dns.explanation)
  },
}

export const domainAssign: Command = {
  name: 'domain assign',
  summary: 'Let a group create links on a branded domain',
  words: [domain],
  flags: [group, json],
  options: recordOptions,
  run: (context) => changeGroup(context, 'assignDomain'),
}

export const domainUnassign: Command = {
  name: 'domain unassign',
  summary: 'Stop a group from creating links on a branded domain; its links stay',
  words: [domain],
  flags: [group, json],
  options: recordOptions,
  run: (context) => changeGroup(context, 'unassignDomain'),
}

export const domainRename: Command = {
  name: 'domain rename',
  summary: 'Rename a built-in domain; its links stay, and the old name still works',
  words: [
    { name: 'OLD', description: 'Current name, such as localhost:8080.' },
    { name: 'NEW', description: 'New name, such as sho.rt.' },
  ],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const { from, to } = await administer(config, 'renameDomain', { from: word('OLD'), to: word('NEW') })
    if (switched('json')) return print(JSON.stringify({ from, to }))
    print(`The built-in domain ${from} is now called ${to}. Its links work under both names.`)
    print(`Replace ${from} by ${to} in --domains before the next start, or the old name returns.`)
  },
}

export const domainRemove: Command = {
  name: 'domain remove',
  summary: 'Remove a branded domain; its links return when it is added again',
  words: [domain],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const removed = await administer(config, 'removeDomain', { domain: word('NAME') })
    print(switched('json') ? JSON.stringify(removed) : `Domain ${removed.domain} was removed. Its links are kept.`)
  },
}

async function changeGroup(context: CommandContext, operation: 'assignDomain' | 'unassignDomain'): Promise<void> {
  const { config, word, flag, switched, print } = context
  const changed = await administer(config, operation, { domain: word('NAME'), groupGuid: flag('group') ?? '' })
  if (switched('json')) return print(JSON.stringify(changed))
  print(`Groups that may create links on ${changed.name}: ${changed.groupGuids.join(', ') || 'none'}.`)
}

function row({ name, organizationGuid, isProven, groupGuids, rootUrl, notFoundUrl }: BrandedDomain): string[] {
  const state = isProven ? 'verified' : 'pending'
  return [name, organizationGuid, state, groupGuids.join(',') || '-', rootUrl ?? '-', notFoundUrl ?? '-']
}
