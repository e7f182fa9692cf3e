import { registrableScopes } from '../core/accounts/applications.js'
import { minute, operatorCommand, table } from './administration.js'
import type { Word } from './command.js'
import { answersFlag, answersIn, scopeFlag, scopesIn } from './token.js'

const clientId: Word = { name: 'CLIENT_ID', description: 'Client ID, as shown by "app list".' }
const secretNote = 'The secret is shown only once: only its hash is stored.'

export const appRegister = operatorCommand('app register', 'registerApplication', {
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
    scopeFlag(registrableScopes),
    answersFlag,
  ],
  input: async (context) => {
    const { word, flag, values, switched } = context
    return {
      name: word('NAME'),
      login: flag('login') ?? '',
      description: flag('description'),
      link: flag('link'),
      redirectUris: values('redirect-uri'),
      requirePkce: switched('require-pkce'),
      scopes: scopesIn(context),
      answersIn: await answersIn(context),
    }
  },
  text: (registered) => [
    `client_id      ${registered.clientId}`,
    `client_secret  ${registered.clientSecret}`,
    secretNote,
  ],
})

export const appList = operatorCommand('app list', 'listApplications', {
  summary: 'List OAuth applications, revoked ones included',
  flags: [{ name: 'login', value: 'LOGIN', description: 'Only applications of this user.' }],
  input: ({ flag }) => ({ login: flag('login') }),
  text: (applications) => {
    const heading = ['CLIENT ID', 'NAME', 'LOGIN', 'PKCE', 'SCOPES', 'ANSWERS', 'CREATED', 'REVOKED']
    const rows = applications.map(({ clientId, name, login, requirePkce, scopes, answersIn, createdAt, revokedAt }) => [
      ...[clientId, name, login ?? '-', requirePkce ? 'required' : '-', scopes.join(','), answersIn ?? '-'],
      ...[createdAt, revokedAt].map(minute),
    ])
    return table(heading, rows, 'There are no applications.')
  },
})

export const appSecret = operatorCommand('app secret', 'rotateApplicationSecret', {
  summary: 'Generate a new client secret and print it once; the old one stops working at once',
  words: [clientId],
  input: ({ word }) => ({ clientId: word('CLIENT_ID') }),
  text: (rotated) => [`client_secret  ${rotated.clientSecret}`, secretNote],
})

export const appRevoke = operatorCommand('app revoke', 'revokeApplication', {
  summary: 'Revoke an application and all its tokens',
  words: [clientId],
  input: ({ word }) => ({ clientId: word('CLIENT_ID') }),
  text: (revoked) => `Application ${revoked.clientId} is revoked.`,
})
