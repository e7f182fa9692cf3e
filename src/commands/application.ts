import type { Application } from '../core/accounts/application-store.js'
import { columns } from '../lib/columns.js'
import { administer, recordOptions } from './administration.js'
import type { Command, Flag } from './command.js'

const json: Flag = { name: 'json', description: 'Print JSON instead of text.' }

export const appRegister: Command = {
  name: 'app register',
  summary: 'Register an OAuth application and print its client secret once',
  words: [{ name: 'NAME', description: 'Name shown to users.' }],
  flags: [
    { name: 'login', value: 'LOGIN', description: 'Owner of the application.', required: true },
    { name: 'description', value: 'TEXT', description: 'Description shown to users.' },
    { name: 'link', value: 'URL', description: 'Home page of the application.' },
    {
      name: 'redirect-uri',
      value: 'URI',
      description: 'Redirect URI: absolute, with http, https or an app scheme.',
      repeatable: true,
    },
    { name: 'require-pkce', description: 'Require PKCE for authorization.' },
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
    print('The secret is shown only once: only its hash is stored.')
  },
}

export const appList: Command = {
  name: 'app list',
  summary: 'List OAuth applications, revoked ones included',
  flags: [{ name: 'login', value: 'LOGIN', description: 'Only applications of this user.' }, json],
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
  summary: 'Generate a new client secret and print it once; the old one stops working at once',
  words: [{ name: 'CLIENT_ID', description: 'Client ID, as shown by "app list".' }],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const rotated = await administer(config, 'rotateApplicationSecret', { clientId: word('CLIENT_ID') })
    if (switched('json')) return print(JSON.stringify(rotated))
    print(`client_secret  ${rotated.clientSecret}`)
    print('The secret is shown only once: only its hash is stored.')
  },
}

export const appRevoke: Command = {
  name: 'app revoke',
  summary: 'Revoke an application and all its tokens',
  words: [{ name: 'CLIENT_ID', description: 'Client ID, as shown by "app list".' }],
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
