import { columns } from '../lib/columns.js'
import { OperatorError } from '../lib/operator-error.js'
import { administer, recordOptions } from './administration.js'
import type { Command, CommandContext } from './command.js'

export const userCreate: Command = {
  name: 'user create',
  summary: 'Add a user to a group',
  words: [{ name: 'LOGIN', description: 'The name to log in with: 1 to 64 characters of a-z 0-9 . _ @ -' }],
  flags: [
    { name: 'name', value: 'NAME', description: 'What people call the user; the login unless given.' },
    { name: 'email', value: 'ADDRESS', description: 'Where the user gets mail.' },
    { name: 'password', value: 'TEXT', description: 'Generated and printed once unless given.' },
    { name: 'password-stdin', description: 'Read the password from standard input: other users can see flags.' },
    { name: 'group', value: 'GUID', description: 'The group to join; the oldest one unless given.' },
    { name: 'json', description: 'Print JSON for a program instead of text for people.' },
  ],
  options: recordOptions,
  async run(context) {
    const { config, word, flag, switched, print } = context
    const password = await givenPassword(context)
    const input = { login: word('LOGIN'), name: flag('name'), email: flag('email'), password, groupGuid: flag('group') }
    const created = await administer(config, 'createUser', input)
    if (switched('json')) return print(JSON.stringify(created))
    print(`User ${created.login} was added to group ${created.groupGuid}.`)
    if (created.password !== undefined) print(`Password (shown this once): ${created.password}`)
  },
}

const login = { name: 'LOGIN', description: 'Whose account.' }
const json = { name: 'json', description: 'Print JSON for a program instead of text for people.' }

export const userList: Command = {
  name: 'user list',
  summary: 'List users, and who of them is deactivated',
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
  summary: 'Give a user a new password and sign their browsers out',
  words: [login],
  flags: [
    { name: 'password', value: 'TEXT', description: 'Generated and printed once unless given.' },
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
    if (set.password !== undefined) print(`Password (shown this once): ${set.password}`)
  },
}

export const userEmail: Command = {
  name: 'user email',
  summary: 'Set the address a user gets mail at and may sign in with',
  words: [login, { name: 'ADDRESS', description: 'The address; it belongs to one user only.' }],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const set = await administer(config, 'setEmail', { login: word('LOGIN'), email: word('ADDRESS') })
    print(switched('json') ? JSON.stringify(set) : `User ${set.login} gets mail at ${set.email}.`)
  },
}

export const userTwoFactorOff: Command = {
  name: 'user two-factor-off',
  summary: 'Turn the second factor of a user off, who lost phone and recovery codes',
  words: [login],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const off = await administer(config, 'turnTwoFactorOff', { login: word('LOGIN') })
    print(switched('json') ? JSON.stringify(off) : `User ${off.login} signs in with the password alone.`)
  },
}

export const userDeactivate: Command = {
  name: 'user deactivate',
  summary: 'Let a user in no more: password, sessions, tokens and keys stop working at once',
  words: [login],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const off = await administer(config, 'deactivateUser', { login: word('LOGIN') })
    print(switched('json') ? JSON.stringify(off) : `User ${off.login} is deactivated. Links they made go on working.`)
  },
}

export const userActivate: Command = {
  name: 'user activate',
  summary: 'Let a user in again who was deactivated, with the same password, tokens and keys',
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
  summary: 'Remove a user for good, with their tokens, keys and applications; links stay',
  words: [login],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const removed = await administer(config, 'removeUser', { login: word('LOGIN') })
    if (switched('json')) return print(JSON.stringify(removed))
    print(`User ${removed.login} is removed. Links they made go on working and keep the login as their author.`)
  },
}

async function givenPassword({ flag, switched, stdin }: CommandContext): Promise<string | undefined> {
  if (!switched('password-stdin')) return flag('password')
  if (flag('password') !== undefined)
    throw new OperatorError('Give either --password or --password-stdin, not both.', 2)
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
  // `echo` and editors end their output with a line break; it is no part of the password.
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
}
