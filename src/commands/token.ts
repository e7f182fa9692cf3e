import { minute, operatorCommand, table } from './administration.js'
import type { Word } from './command.js'

const guid: Word = { name: 'GUID', description: 'The token, as shown by "token list" (T...).' }

/** Also for applications. */
export const answersFlag = {
  name: 'answers',
  value: 'WORD',
  description: 'Word for short links in answers, one of --link-word, where a request shows none.',
}

export const tokenCreate = operatorCommand({
  name: 'token create',
  summary: 'Create an access token for a user and print it once',
  flags: [
    { name: 'login', value: 'LOGIN', description: 'User of the token.', required: true },
    { name: 'label', value: 'TEXT', description: 'What the token is for.' },
    answersFlag,
  ],
  operation: 'createToken',
  input: ({ flag }) => ({ login: flag('login') ?? '', label: flag('label'), answersIn: flag('answers') }),
  text: (created) => [
    created.secret,
    `Token ${created.guid} of ${created.login}. It is shown only once: only its hash is stored.`,
  ],
})

export const tokenList = operatorCommand({
  name: 'token list',
  summary: 'List access tokens, revoked ones included',
  flags: [{ name: 'login', value: 'LOGIN', description: 'Only tokens of this user.' }],
  operation: 'listTokens',
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

export const tokenLabel = operatorCommand({
  name: 'token label',
  summary: 'Change the label of an access token',
  words: [guid, { name: 'TEXT', description: 'What the token is for.' }],
  operation: 'labelToken',
  input: ({ word }) => ({ guid: word('GUID'), label: word('TEXT') }),
  text: (labelled) => `Token ${labelled.guid} is now labelled "${labelled.label}".`,
})

export const tokenRevoke = operatorCommand({
  name: 'token revoke',
  summary: 'Revoke an access token at once',
  words: [guid],
  operation: 'revokeToken',
  input: ({ word }) => ({ guid: word('GUID') }),
  text: (revoked) => `Token ${revoked.guid} is revoked.`,
})
