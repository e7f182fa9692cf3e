import { minute, operatorCommand, serviceSettings, table } from './administration.js'
import type { CommandContext, Word } from './command.js'

const guid: Word = { name: 'GUID', description: 'The token, as shown by "token list" (T...).' }

/** Also for applications. */
export const answersFlag = {
  name: 'answers',
  value: 'WORD',
  description: 'Word for short links in answers, one of --link-word, where a request shows none.',
}

/** A word that is not configured has no effect until it is. */
export async function answersIn(context: CommandContext): Promise<string | undefined> {
  const word = context.flag('answers')
  if (word !== undefined) await noteUnknownWord(context, word)
  return word
}

export async function noteUnknownWord(context: CommandContext, word: string): Promise<void> {
  if (word === 'shortlink') return
  const words = (await serviceSettings(context)).get('linkWord')?.split(',') ?? []
  if (!words.some((entry) => entry.split(':')[0] === word)) {
    context.note(`"${word}" is not one of --link-word, so it has no effect until the service is started with it.`)
  }
}

export const tokenCreate = operatorCommand('token create', 'createToken', {
  summary: 'Create an access token for a user and print it once',
  flags: [
    { name: 'login', value: 'LOGIN', description: 'User of the token.', required: true },
    { name: 'label', value: 'TEXT', description: 'What the token is for.' },
    answersFlag,
  ],
  input: async (context) => {
    const { flag } = context
    return { login: flag('login') ?? '', label: flag('label'), answersIn: await answersIn(context) }
  },
  text: (created) => [
    created.secret,
    `Token ${created.guid} of ${created.login}. It is shown only once: only its hash is stored.`,
  ],
})

export const tokenList = operatorCommand('token list', 'listTokens', {
  summary: 'List access tokens, revoked ones included',
  flags: [{ name: 'login', value: 'LOGIN', description: 'Only tokens of this user.' }],
  input: ({ flag }) => ({ login: flag('login') }),
  text: (tokens) =>
    table(
      ['GUID', 'ENDS IN', 'LOGIN', 'LABEL', 'ANSWERS', 'CREATED', 'LAST USED', 'REVOKED'],
      tokens.map(({ guid, hint, login, label, answersIn, createdAt, lastUsedAt, revokedAt }) => [
        ...[guid, `...${hint}`, login, label, answersIn ?? '-'],
        ...[createdAt, lastUsedAt, revokedAt].map(minute),
      ]),
      'There are no tokens.',
    ),
})

export const tokenLabel = operatorCommand('token label', 'labelToken', {
  summary: 'Change the label of an access token',
  words: [guid, { name: 'TEXT', description: 'What the token is for.' }],
  input: ({ word }) => ({ guid: word('GUID'), label: word('TEXT') }),
  text: (labelled) => `Token ${labelled.guid} is now labelled "${labelled.label}".`,
})

export const tokenRevoke = operatorCommand('token revoke', 'revokeToken', {
  summary: 'Revoke an access token at once',
  words: [guid],
  input: ({ word }) => ({ guid: word('GUID') }),
  text: (revoked) => `Token ${revoked.guid} is revoked.`,
})
