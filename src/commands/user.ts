import { OperatorError } from '../lib/operator-error.js'
import { operatorCommand, table } from './administration.js'
import type { CommandContext, Flag, Word } from './command.js'

const login: Word = { name: 'LOGIN', description: 'Login of the user.' }
const passwordFlags: readonly Flag[] = [
  { name: 'password', value: 'TEXT', description: 'Password; default: generated and printed once.' },
  { name: 'password-stdin', description: 'Read the password from standard input: other users can see flags.' },
]

export const userCreate = operatorCommand('user create', 'createUser', {
  summary: 'Create a user in a group',
  words: [{ name: 'LOGIN', description: 'Login name: 1 to 64 characters of a-z 0-9 . _ @ -' }],
  flags: [
    { name: 'name', value: 'NAME', description: 'Display name; default: the login.' },
    { name: 'email', value: 'ADDRESS', description: 'E-mail address of the user.' },
    ...passwordFlags,
    { name: 'group', value: 'GUID', description: 'First group of the user; default: the oldest.' },
  ],
  input: async (context) => {
    const { word, flag } = context
    const password = await givenPassword(context)
    return { login: word('LOGIN'), name: flag('name'), email: flag('email'), password, groupGuid: flag('group') }
  },
  text: (created) => [`User ${created.login} was created in group ${created.groupGuid}.`, ...generated(created)],
})

export const userList = operatorCommand('user list', 'listUsers', {
  summary: 'List users and their state',
  input: () => ({}),
  text: (users) => {
    const rows = users.map(({ login, name, email, isActive, hasTwoFactor, createdAt }) => [
      login,
      name,
      email ?? '-',
      isActive ? 'active' : 'deactivated',
      hasTwoFactor ? 'on' : 'off',
      new Date(createdAt).toISOString().slice(0, 'YYYY-MM-DD'.length),
    ])
    return table(['LOGIN', 'NAME', 'E-MAIL', 'STATE', 'TWO-FACTOR', 'MADE'], rows, 'There are no users.')
  },
})

export const userPassword = operatorCommand('user password', 'setPassword', {
  summary: 'Set a new password and sign the user out of all browsers',
  words: [login],
  flags: passwordFlags,
  input: async (context) => ({ login: context.word('LOGIN'), password: await givenPassword(context) }),
  text: (set) => [`User ${set.login} has a new password.`, ...generated(set)],
})

export const userEmail = operatorCommand('user email', 'setEmail', {
  summary: 'Set the e-mail address of a user, who may also sign in with it',
  words: [login, { name: 'ADDRESS', description: 'The address; no other user may have it.' }],
  input: ({ word }) => ({ login: word('LOGIN'), email: word('ADDRESS') }),
  text: (set) => `The e-mail address of ${set.login} is now ${set.email}.`,
})

export const userTwoFactorOff = operatorCommand('user two-factor-off', 'turnTwoFactorOff', {
  summary: 'Disable two-factor sign-in and remove the passkeys of a user who lost them and the recovery codes',
  words: [login],
  input: ({ word }) => ({ login: word('LOGIN') }),
  text: (off) => `User ${off.login} now signs in with the password alone.`,
})

export const userDeactivate = operatorCommand('user deactivate', 'deactivateUser', {
  summary: 'Deactivate a user: password, sessions, tokens and keys stop working at once',
  words: [login],
  input: ({ word }) => ({ login: word('LOGIN') }),
  text: (off) => `User ${off.login} is deactivated. Their links keep working.`,
})

export const userActivate = operatorCommand('user activate', 'activateUser', {
  summary: 'Activate a deactivated user again, with the same password, tokens and keys',
  words: [login],
  input: ({ word }) => ({ login: word('LOGIN') }),
  text: (on) => `User ${on.login} is active.`,
})

export const userRemove = operatorCommand('user remove', 'removeUser', {
  summary: 'Delete a user permanently, with tokens, keys and applications; links stay',
  words: [login],
  input: ({ word }) => ({ login: word('LOGIN') }),
  text: (gone) => `User ${gone.login} is removed. Their links keep working and keep the login as their author.`,
})

function generated({ password }: { readonly password?: string | undefined }): readonly string[] {
  return password === undefined ? [] : [`Password (shown only once): ${password}`]
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
