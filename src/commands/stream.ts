import { randomBytes } from 'node:crypto'
import { authorizationTtl, serviceClicks, serviceLinks } from '../core/stream/access.js'
import type { WatchedTopic } from '../core/stream/stream.js'
import { OperatorError } from '../lib/operator-error.js'
import { type StreamMessage, TopicReader } from '../storage/nsqd/topic-reader.js'
import {
  administer,
  minute,
  operatorCommand,
  recordOptions,
  type ServiceSettings,
  serviceSettings,
  table,
} from './administration.js'
import type { Command, CommandContext, Flag } from './command.js'

const who: readonly Flag[] = [
  { name: 'organization', value: 'GUID', description: 'An organization: its administrators may read its topics.' },
  { name: 'login', value: 'LOGIN', description: 'An account: it may read the topics of its organizations.' },
]

export const streamAllow = operatorCommand('stream allow', 'allowStream', {
  summary: 'Let an organization or an account read the click stream',
  flags: who,
  options: [...recordOptions, 'nsqdPort'],
  input: readerFrom,
  text: async (reader, context) => [
    `${named(reader)} may read the stream. See docs/stream.md.`,
    ...(hasStream(await serviceSettings(context))
      ? []
      : ['There is no stream yet: start the service with --nsqd-port 4150.']),
  ],
})

export const streamDeny = operatorCommand('stream deny', 'denyStream', {
  summary: 'Revoke the access of an organization or an account to the stream',
  flags: who,
  input: readerFrom,
  text: (reader) =>
    `${named(reader)} may no longer read the stream. Connections end within ${3 * authorizationTtl} seconds.`,
})

export const streamList = operatorCommand('stream list', 'listStreamReaders', {
  summary: 'List who may read the stream',
  input: () => ({}),
  text: (readers) => {
    const rows = readers.map(({ kind, subject, allowedBy, allowedAt }) => [kind, subject, allowedBy, minute(allowedAt)])
    const empty = 'Nobody may read the stream. "shortlink stream allow" changes that.'
    return table(['KIND', 'WHO', 'ALLOWED BY', 'SINCE'], rows, empty)
  },
})

export const streamTail: Command = {
  name: 'stream tail',
  summary: 'Print clicks as they happen, or links as they are created',
  flags: [
    {
      name: 'topic',
      value: 'NAME',
      description: `The topic; default: ${serviceClicks} (all clicks). ${serviceLinks}: all new links.`,
    },
    { name: 'count', value: 'NUMBER', description: 'Stop after this many messages; default: run until Ctrl-C.' },
    { name: 'json', description: 'Print the raw messages.' },
  ],
  options: recordOptions,
  async run(context) {
    const { config, flag, switched, print } = context
    let left = countOf(context)
    const watched = await administer(config, 'watchStream', { topic: flag('topic') })
    // Skips the old backlog of the topic.
    const since = Date.now() - 1000
    await readMessages(watched, ({ at, body }) => {
      if (at < since) return 'more'
      print(switched('json') ? String(body) : lineOf(String(body)))
      return --left > 0 ? 'more' : 'enough'
    })
  },
}

/** Reads until `take` has enough, or the service closes the connection. */
async function readMessages(
  { topic, daemon }: WatchedTopic,
  take: (message: StreamMessage) => 'more' | 'enough',
): Promise<void> {
  let isOver = false
  let settle: (error?: Error) => void = () => {}
  const over = new Promise<void>((resolve, reject) => {
    settle = (error) => (error ? reject(error) : resolve())
  })
  const options = { topic, channel: `tail-${randomBytes(4).toString('hex')}#ephemeral`, maxInFlight: 1000 }
  const reader = new TopicReader(options, {
    daemons: async () => [daemon],
    onMessage: (message) => {
      if (isOver) return
      message.finish()
      isOver = take(message) === 'enough'
      if (isOver) settle()
    },
    onFailure: (_, { message }) => settle(new OperatorError(`The stream ended: ${message}.`)),
  })
  try {
    await reader.start()
    await over
  } finally {
    await reader.close()
  }
}

function readerFrom({ flag }: CommandContext) {
  const organizationGuid = flag('organization')
  const login = flag('login')
  if ((organizationGuid === undefined) === (login === undefined)) {
    throw new OperatorError('Name either an organization (--organization GUID) or an account (--login LOGIN).', 2)
  }
  return { organizationGuid, login }
}

function countOf({ flag }: CommandContext): number {
  const text = flag('count')
  if (text === undefined) return Number.POSITIVE_INFINITY
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new OperatorError('--count must be a positive whole number.', 2)
  return Number(text)
}

function named({ kind, subject }: { readonly kind: string; readonly subject: string }): string {
  return kind === 'organization' ? `Organization ${subject}` : `Account ${subject}`
}

function hasStream({ get }: ServiceSettings): boolean {
  const names = ['nsqdPort', 'nsqdTcpAddresses', 'nsqdHttpAddresses'] as const
  return names.some((name) => get(name) !== undefined)
}

/** Text for people; a message that is neither a click nor a link is printed unchanged. */
function lineOf(body: string): string {
  const click = JSON.parse(body) as Partial<Record<string, string | null>>
  if (typeof click.at !== 'string' || click.hh === undefined) return body
  const time = click.at.slice(0, 19).replace('T', ' ')
  const address = `${click.hh}/${click.kw ?? click.h}`
  if (click.kind === 'link') return `${time}  ${address} -> ${click.u} [made by ${click.l}]`
  const place = [click.cy, click.c].filter(Boolean).join(', ')
  const agent = [click.browser, click.os, click.device].filter(Boolean).join(', ')
  const mark = click.nature === 'human' ? '' : ` [${click.nature}]`
  const from = click.r === 'direct' ? '' : ` from ${click.r}`
  return `${time}  ${address} -> ${click.u}${mark}${from}  ${[place, agent].filter(Boolean).join('; ')}`
}
