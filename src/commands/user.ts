import { columns } from '../lib/columns.js'
import { OperatorError } from '../lib/operator-error.js'
import { administer, recordOptions } from './administration.js'
import type { Command, CommandContext } from './command.js'

export const userCreate: Command = {
  name: 'user create',
  summary: 'Create a user in a group',
  words: [{ name: 'LOGIN', description: 'Login name: 1 to 64 characters of a-z 0-9 . _ @ -' }],
  flags: [
    { name: 'name', value: 'NAME', description: 'Display name; default: the login.' },
    { name: 'email', value: 'ADDRESS', description: 'E-mail address of the user.' },
    { name: 'password', value: 'TEXT', description: 'Password; default: generated and printed once.' },
    { name: 'password-stdin', description: 'Read the password from standard input: other users can see flags.' },
    { name: 'group', value: 'GUID', description: 'First group of the user; default: the oldest.' },
    { name: 'json', description: 'Print JSON instead of text.' },
  ],
  options: recordOptions,
  async run(context) {
    const { config, word, flag, switched, print } = context
    const password = await givenPassword(context)
    const input = { login: word('LOGIN'), name: flag('name'), email: flag('email'), password, groupGuid: flag('group') }
    const created = await administer(config, 'createUser', input)
    if (switched('json')) return print(JSON.stringify(created))
    print(`User ${created.login} was created in group ${created.groupGuid}.`)
    if (created.password !== undefined) print(`Password (shown only once): ${created.password}`)
  },
}

const login = { name: 'LOGIN', description: 'Login of the user.' }
const json = { name: 'json', description: 'Print JSON instead of text.' }

export const userList: Command = {
  name: 'user list',
  summary: 'List users and their state',
  flags: [json],
  options: recordOptions,
  async run({ config, switched, print }) {
    const users = await administer(config, 'listUsers', {})
    if (switched('json')) return print(JSON.stringify(users))
    if (users.length === 0) return print('There are no users.')
    const rows = users.map(({ login, name, email, isActive, hasTwoFactor, createdAt }) => [
      login,
      name,
      email ?? '-',
      isActive ? 'active' : 'deactivated',
      hasTwoFactor ? 'on' : 'off',
      new Date(createdAt).toISOString().slice(0, 'YYYY-MM-DD'.length),
    ])
    print(columns([['LOGIN', 'NAME', 'E-MAIL', 'STATE', 'TWO-FACTOR', 'MADE'], ...rows]).join('\n'))
  },
}

export const userPassword: Command = {
  name: 'user password',
  summary: 'Set a new password and sign the user out of all browsers',
  words: [login],
  flags: [
    { name: 'password', value: 'TEXT', description: 'Password; default: generated and printed once.' },
    { name: 'password-stdin', description: 'Read the password from standard input: other users can see flags.' },
    json,
  ],
  options: recordOptions,
  async run(context) {
    const { config, word, switched, print } = context
    const password = await givenPassword(context)
    const set = await administer(config, 'setPassword', { login: word('LOGIN'), password })
    if (switched('json')) return print(JSON.stringify(set))
    print(`User ${set.login} has a new password.`)
    if (set.password !== undefined) print(`Password (shown only once): ${set.password}`)
  },
}

export const userEmail: Command = {
  name: 'user email',
  summary: 'Set the e-mail address of a user, who may also sign in with it',
  words: [login, { name: 'ADDRESS', description: 'The address; no other user may have it.' }],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const set = await administer(config, 'setEmail', { login: word('LOGIN'), email: word('ADDRESS') })
    print(switched('json') ? JSON.stringify(set) : `The e-mail address of ${set.login} is now ${set.email}.`)
  },
}

export const userTwoFactorOff: Command = {
  name: 'user two-factor-off',
  summary: 'Disable two-factor sign-in for a user who lost phone and recovery codes',
  words: [login],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const off = await administer(config, 'turnTwoFactorOff', { login: word('LOGIN') })
    print(switched('json') ? JSON.stringify(off) : `User ${off.login} now signs in with the password alone.`)
  },
}

export const userDeactivate: Command = {
  name: 'user deactivate',
  summary: 'Deactivate a user: password, sessions, tokens and keys stop working at once',
  words: [login],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const off = await administer(config, 'deactivateUser', { login: word('LOGIN') })
    print(switched('json') ? JSON.stringify(off) : `User ${off.login} is deactivated. Their links keep working.`)
  },
}

export const userActivate: Command = {
  name: 'user activate',
  summary: 'Activate a deactivated user again, with the same password, tokens and keys',
  words: [login],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const on = await administer(config, 'activateUser', { login: word('LOGIN') })
    print(switched('json') ? JSON.stringify(on) : `User ${on.login} is active.`)
  },
}

export const userRemove: Command = {
  name: 'user remove',
  summary: 'Delete a user permanently, with tokens, keys and applications; links stay',
  words: [login],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const removed = await administer(config, 'removeUser', { login: word('LOGIN') })
    if (switched('json')) return print(JSON.stringify(removed))
    print(`User ${removed.login} is removed. Their links keep working and keep the login as their author.`)
  },
}

async function givenPassword({ flag, switched, stdin }: CommandContext): Promise<string | undefined> {
  if (!switched('password-stdin')) return flag('password')
  if (flag('password') !== undefined)
    throw new OperatorError('Give either --password or --password-stdin, not both.', 2)
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
  // `echo` and editors add a line break at the end; it does not belong to the password.
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
}
