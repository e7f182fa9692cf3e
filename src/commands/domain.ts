import type { BrandedDomain } from '../core/domains/domain-store.js'
import { OperatorError } from '../lib/operator-error.js'
import { administer, operatorCommand, recordOptions, table } from './administration.js'
import type { CommandContext, Flag, Word } from './command.js'

const domain: Word = { name: 'NAME', description: 'The domain: a bare host name such as go.example.com.' }
const group: Flag = { name: 'group', value: 'GUID', description: 'The group.', required: true }
const options = [...recordOptions, 'domains', 'baseUrl', 'dnsTargets', 'dnsServers'] as const

const urls: readonly Flag[] = [
  { name: 'root-url', value: 'URL', description: 'Redirect target of the bare domain.' },
  { name: 'not-found-url', value: 'URL', description: 'Redirect target for links that do not exist.' },
]

export const domainAdd = operatorCommand('domain add', 'addDomain', {
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
  ],
  options,
  input: ({ word, flag, values }) => ({
    domain: word('NAME'),
    organizationGuid: flag('organization'),
    groupGuids: values('group'),
    rootUrl: flag('root-url'),
    notFoundUrl: flag('not-found-url'),
  }),
  text: async ({ name, organizationGuid, groupGuids }, { config }) => [
    `Domain ${name} was added to organization ${organizationGuid}.`,
    groupGuids.length > 0
      ? `Groups that may create links on it: ${groupGuids.join(', ')}.`
      : `No group may use it yet: "shortlink domain assign ${name} --group GUID".`,
    (await administer(config, 'verifyDomain', { domain: name })).dns.explanation,
    `"shortlink domain verify ${name}" checks its DNS again.`,
  ],
})

export const domainList = operatorCommand('domain list', 'listDomains', {
  summary: 'List branded short domains',
  flags: [{ name: 'organization', value: 'GUID', description: 'Only domains of this organization.' }],
  input: ({ flag }) => ({ organizationGuid: flag('organization') }),
  text: (domains) => {
    const heading = ['NAME', 'ORGANIZATION', 'OWNERSHIP', 'GROUPS', 'ROOT', 'NOT FOUND']
    return table(heading, domains.map(row), 'There are no branded domains.')
  },
})

export const domainSet = operatorCommand('domain set', 'setDomain', {
  summary: 'Set where a branded domain redirects visitors without a valid link',
  words: [domain],
  flags: urls.map((flag) => ({ ...flag, description: `${flag.description} An empty URL removes it.` })),
  options,
  input: ({ word, flag }) => {
    const input = { domain: word('NAME'), rootUrl: flag('root-url'), notFoundUrl: flag('not-found-url') }
    if (input.rootUrl === undefined && input.notFoundUrl === undefined) {
      throw new OperatorError('Give --root-url URL, --not-found-url URL, or both.', 2)
    }
    return input
  },
  json: ({ name, rootUrl, notFoundUrl }) => ({ name, rootUrl, notFoundUrl }),
  text: ({ name, rootUrl, notFoundUrl }) => [
    `Visitors of ${name} itself are redirected to ${rootUrl ?? 'a page of the service'}.`,
    `Visitors of links that do not exist are redirected to ${notFoundUrl ?? 'a page of the service'}.`,
  ],
})

export const domainVerify = operatorCommand('domain verify', 'verifyDomain', {
  summary: 'Check now whether the DNS of a branded domain points here',
  words: [domain],
  options,
  input: ({ word }) => ({ domain: word('NAME') }),
  json: ({ dns }) => dns,
  text: ({ dns }) => (dns.match ? dns.explanation : []),
  failure: ({ dns }) => (dns.match ? undefined : dns.explanation),
})

export const domainAssign = operatorCommand('domain assign', 'assignDomain', {
  summary: 'Let a group create links on a branded domain',
  words: [domain],
  flags: [group],
  input: domainAndGroup,
  text: groupsOf,
})

export const domainUnassign = operatorCommand('domain unassign', 'unassignDomain', {
  summary: 'Stop a group from creating links on a branded domain; its links stay',
  words: [domain],
  flags: [group],
  input: domainAndGroup,
  text: groupsOf,
})

export const domainRename = operatorCommand('domain rename', 'renameDomain', {
  summary: 'Rename a built-in domain; its links stay, and the old name still works',
  words: [
    { name: 'OLD', description: 'Current name, such as localhost:8080.' },
    { name: 'NEW', description: 'New name, such as sho.rt.' },
  ],
  input: ({ word }) => ({ from: word('OLD'), to: word('NEW') }),
  json: ({ from, to }) => ({ from, to }),
  text: ({ from, to }) => [
    `The built-in domain ${from} is now called ${to}. Its links work under both names.`,
    `Replace ${from} by ${to} in --domains before the next start, or the old name returns.`,
  ],
})

export const domainRemove = operatorCommand('domain remove', 'removeDomain', {
  summary: 'Remove a branded domain; its links return when it is added again',
  words: [domain],
  input: ({ word }) => ({ domain: word('NAME') }),
  text: (removed) => `Domain ${removed.domain} was removed. Its links are kept.`,
})

function domainAndGroup({ word, flag }: CommandContext) {
  return { domain: word('NAME'), groupGuid: flag('group') ?? '' }
}

function groupsOf({ name, groupGuids }: BrandedDomain): string {
  return `Groups that may create links on ${name}: ${groupGuids.join(', ') || 'none'}.`
}

function row({ name, organizationGuid, isProven, groupGuids, rootUrl, notFoundUrl }: BrandedDomain): string[] {
  return [
    name,
    organizationGuid,
    isProven ? 'proven' : 'pending',
    groupGuids.join(',') || '-',
    rootUrl ?? '-',
    notFoundUrl ?? '-',
  ]
}
