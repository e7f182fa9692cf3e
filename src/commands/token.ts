import { duration } from '../config/kinds.js'
import { type Scope, scopeNames } from '../core/accounts/scopes.js'
import { OperatorError } from '../lib/operator-error.js'
import { minute, operatorCommand, serviceSettings, table } from './administration.js'
import type { CommandContext, Word } from './command.js'

const guid: Word = { name: 'GUID', description: 'The token, as shown by "token list" (T...).' }

/** Also for applications. */
export const answersFlag = {
  name: 'answers',
  value: 'WORD',
  description: 'Word for short links in answers, one of --link-word, where a request shows none.',
}

/** Also for applications. */
export function scopeFlag(names: readonly Scope[]) {
  return {
    name: 'scope',
    value: 'SCOPES',
    description: `What it may do, separated by commas: ${names.join(', ')}. Default: all.`,
  }
}

export function scopesIn(context: CommandContext): readonly string[] | undefined {
  return context
    .flag('scope')
    ?.split(',')
    .map((name) => name.trim())
}

function expiryIn(context: CommandContext): number | undefined {
  const time = timeIn(context, 'expires')
  return time === undefined ? undefined : Date.now() + time
}

function timeIn(context: CommandContext, flag: string): number | undefined {
  const text = context.flag(flag)
  if (text === undefined) return undefined
  if (text === '0') return 0
  const { read, allowed } = duration(1000)
  const time = read(text, '')
  if (time === undefined) throw new OperatorError(`--${flag} must be ${allowed}, not "${text}".`, 2)
  return time
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
    { name: 'label', value: 'TEXT', description: 'What the token is for.', required: true },
    scopeFlag(scopeNames),
    { name: 'group', value: 'GUID', description: 'Limit it to this group.', repeatable: true },
    { name: 'domain', value: 'DOMAIN', description: 'Limit it to links on this domain.', repeatable: true },
    { name: 'expires', value: 'TIME', description: 'Expires after this time: 90d. Never by default.' },
    answersFlag,
  ],
  input: async (context) => {
    const { flag } = context
    return {
      login: flag('login') ?? '',
      label: flag('label') ?? '',
      scopes: scopesIn(context),
      groupGuids: context.values('group'),
      domains: context.values('domain'),
      expiresAt: expiryIn(context),
      answersIn: await answersIn(context),
    }
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
      [
        'GUID',
        'ENDS IN',
        'LOGIN',
        'LABEL',
        'SCOPES',
        'GROUPS',
        'DOMAINS',
        'ANSWERS',
        'CREATED',
        'LAST USED',
        'EXPIRES',
        'REVOKED',
      ],
      tokens.map(({ guid, hint, login, label, scopes, groupGuids, domains, answersIn, ...times }) => [
        ...[guid, `...${hint}`, login, label, scopes.join(',')],
        ...[groupGuids?.join(',') ?? 'all', domains?.join(',') ?? 'all', answersIn ?? '-'],
        ...[times.createdAt, times.lastUsedAt, times.expiresAt, times.revokedAt].map(minute),
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

export const tokenRotate = operatorCommand('token rotate', 'rotateToken', {
  summary: 'Replace an access token with a new one and print it once',
  words: [guid],
  flags: [
    {
      name: 'overlap',
      value: 'TIME',
      description: 'How long the older one stays valid: 24h. At most 30d; 0 by default.',
    },
    {
      name: 'expires',
      value: 'TIME',
      description: 'The new one expires after this time; when the older one did by default.',
    },
  ],
  input: (context) => {
    const overlap = timeIn(context, 'overlap') ?? 0
    return { guid: context.word('GUID'), overlap, expiresAt: expiryIn(context) }
  },
  text: (rotated) => [
    rotated.secret,
    `Token ${rotated.guid} of ${rotated.login}. It is shown only once: only its hash is stored. The older one works until ` +
      `${minute(rotated.oldExpiresAt)} UTC.`,
  ],
})

export const tokenRevoke = operatorCommand('token revoke', 'revokeToken', {
  summary: 'Revoke an access token at once',
  words: [guid],
  input: ({ word }) => ({ guid: word('GUID') }),
  text: (revoked) => `Token ${revoked.guid} is revoked.`,
})
