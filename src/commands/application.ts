import type { Application } from '../core/accounts/application-store.js'
import { columns } from '../lib/columns.js'
import { administer, recordOptions } from './administration.js'
import type { Command, Flag } from './command.js'

const json: Flag = { name: 'json', description: 'Print JSON for a program instead of text for people.' }

export const appRegister: Command = {
  name: 'app register',
  summary: 'Register an application that acts for users, and print its secret once',
  words: [{ name: 'NAME', description: 'What users know it by.' }],
  flags: [
    { name: 'login', value: 'LOGIN', description: 'Whose it is.', required: true },
    { name: 'description', value: 'TEXT', description: 'What it does.' },
    { name: 'link', value: 'URL', description: 'Its own page.' },
    {
      name: 'redirect-uri',
      value: 'URI',
      description: 'Where users come back to: absolute, http, https or an app scheme.',
      repeatable: true,
    },
    { name: 'require-pkce', description: 'Refuse to authorize it without a PKCE challenge.' },
    json,
  ],
  options: recordOptions,
  async run({ config, word, flag, values, switched, print }) {
    const registered = await administer(config, 'registerApplication', {
      name: word('NAME'),
      login: flag('login') ?? '',
      description: flag('description'),
      link: flag('link'),
      redirectUris: values('redirect-uri'),
      requirePkce: switched('require-pkce'),
    })
    if (switched('json')) return print(JSON.stringify(registered))
    print(`client_id      ${registered.clientId}`)
    print(`client_secret  ${registered.clientSecret}`)
    print('The secret is shown this once: only its hash is kept.')
  },
}

export const appList: Command = {
  name: 'app list',
  summary: 'List registered applications, revoked ones too',
  flags: [{ name: 'login', value: 'LOGIN', description: 'Only those of one user.' }, json],
  options: recordOptions,
  async run({ config, flag, switched, print }) {
    const applications = await administer(config, 'listApplications', { login: flag('login') })
    if (switched('json')) return print(JSON.stringify(applications))
    if (applications.length === 0) return print('There are no applications.')
    print(columns([['CLIENT ID', 'NAME', 'LOGIN', 'PKCE', 'CREATED', 'REVOKED'], ...applications.map(row)]).join('\n'))
  },
}

export const appSecret: Command = {
  name: 'app secret',
  summary: 'Give an application a new secret and print it once; the old one is useless at once',
  words: [{ name: 'CLIENT_ID', description: 'The application, as "app list" shows it.' }],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const rotated = await administer(config, 'rotateApplicationSecret', { clientId: word('CLIENT_ID') })
    if (switched('json')) return print(JSON.stringify(rotated))
    print(`client_secret  ${rotated.clientSecret}`)
    print('The secret is shown this once: only its hash is kept.')
  },
}

export const appRevoke: Command = {
  name: 'app revoke',
  summary: 'Make an application and all tokens it was given useless at once',
  words: [{ name: 'CLIENT_ID', description: 'The application, as "app list" shows it.' }],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const revoked = await administer(config, 'revokeApplication', { clientId: word('CLIENT_ID') })
    print(switched('json') ? JSON.stringify(revoked) : `Application ${revoked.clientId} is revoked.`)
  },
}

function row({ clientId, name, login, requirePkce, createdAt, revokedAt }: Application): string[] {
  return [clientId, name, login, requirePkce ? 'required' : '-', time(createdAt), time(revokedAt)]
}

function time(at: number | undefined): string {
  return at === undefined ? '-' : new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}
