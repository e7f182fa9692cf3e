import type { TokenRecord } from '../core/accounts/account.js'
import { columns } from '../lib/columns.js'
import { administer, recordOptions } from './administration.js'
import type { Command, Flag, Word } from './command.js'

const json: Flag = { name: 'json', description: 'Print JSON instead of text.' }

const guid: Word = { name: 'GUID', description: 'The token, as shown by "token list" (T...).' }

export const tokenCreate: Command = {
  name: 'token create',
  summary: 'Create an access token for a user and print it once',
  flags: [
    { name: 'login', value: 'LOGIN', description: 'User of the token.', required: true },
    { name: 'label', value: 'TEXT', description: 'What the token is for.' },
    json,
  ],
  options: recordOptions,
  async run({ config, flag, switched, print }) {
    const created = await administer(config, 'createToken', { login: flag('login') ?? '', label: flag('label') })
    if (switched('json')) return print(JSON.stringify(created))
    print(created.secret)
    print(`Token ${created.guid} of ${created.login}. It is shown only once: only its hash is stored.`)
  },
}

export const tokenList: Command = {
  name: 'token list',
  summary: 'List access tokens, revoked ones included',
  flags: [{ name: 'login', value: 'LOGIN', description: 'Only tokens of this user.' }, json],
  options: recordOptions,
  async run({ config, flag, switched, print }) {
    const tokens = await administer(config, 'listTokens', { login: flag('login') })
    if (switched('json')) return print(JSON.stringify(tokens))
    if (tokens.length === 0) return print('There are no tokens.')
    const heading = ['GUID', 'ENDS IN', 'LOGIN', 'LABEL', 'CREATED', 'LAST USED', 'REVOKED']
    print(columns([heading, ...tokens.map(row)]).join('\n'))
  },
}

export const tokenLabel: Command = {
  name: 'token label',
  summary: 'Change the label of an access token',
  words: [guid, { name: 'TEXT', description: 'What the token is for.' }],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const labelled = await administer(config, 'labelToken', { guid: word('GUID'), label: word('TEXT') })
    print(switched('json') ? JSON.stringify(labelled) : `Token ${labelled.guid} is now labelled "${labelled.label}".`)
  },
}

export const tokenRevoke: Command = {
  name: 'token revoke',
  summary: 'Revoke an access token at once',
  words: [guid],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const revoked = await administer(config, 'revokeToken', { guid: word('GUID') })
    print(switched('json') ? JSON.stringify(revoked) : `Token ${revoked.guid} is revoked.`)
  },
}

function row({ guid, hint, login, label, createdAt, lastUsedAt, revokedAt }: TokenRecord): string[] {
  return [guid, `...${hint}`, login, label, time(createdAt), time(lastUsedAt), time(revokedAt)]
}

function time(at: number | undefined): string {
  return at === undefined ? '-' : new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}
