import type { ListedWebhook } from '../core/administration/webhooks.js'
import type { Delivery } from '../core/webhooks/webhook-store.js'
import { OperatorError } from '../lib/operator-error.js'
import { minute, operatorCommand, table } from './administration.js'
import type { Word } from './command.js'
import { noteUnknownWord } from './token.js'

const guid: Word = { name: 'GUID', description: 'The webhook, as shown by "webhook list" (W...).' }

export const webhookList = operatorCommand('webhook list', 'listWebhooks', {
  summary: 'List webhooks and their state',
  flags: [{ name: 'organization', value: 'GUID', description: 'Only webhooks of this organization.' }],
  input: ({ flag }) => ({ organizationGuid: flag('organization') }),
  text: (webhooks) => {
    const rows = webhooks.map((each) => [
      each.guid,
      each.organizationGuid,
      stateOf(each),
      each.host,
      each.events.join(','),
      each.linkWord ?? '-',
      each.name,
    ])
    return table(['GUID', 'ORGANIZATION', 'STATE', 'HOST', 'EVENTS', 'WORD', 'NAME'], rows, 'There are no webhooks.')
  },
})

export const webhookLog = operatorCommand('webhook log', 'webhookLog', {
  summary: 'Show the deliveries of a webhook, newest first',
  words: [guid],
  flags: [
    { name: 'size', value: 'NUMBER', description: 'Number of deliveries; default 50, maximum 1000.' },
    { name: 'failed', description: 'Only deliveries that were not accepted.' },
  ],
  input: ({ word, flag, switched }) => {
    const size = flag('size') === undefined ? undefined : Number(flag('size'))
    if (size !== undefined && !(Number.isInteger(size) && size >= 1 && size <= 1000)) {
      throw new OperatorError('--size must be a whole number from 1 to 1000.', 2)
    }
    return { guid: word('GUID'), size, onlyFailed: switched('failed') }
  },
  text: (deliveries) =>
    table(
      ['ID', 'WHEN', 'RESULT', 'TOOK', 'EVENTS', 'TRIES', 'NEXT TRY'],
      deliveries.map(row),
      'There are no deliveries in the log.',
    ),
})

export const webhookWord = operatorCommand('webhook word', 'setWebhookWord', {
  summary: 'Choose the word for short links in the events of a webhook',
  words: [guid, { name: 'WORD', description: 'shortlink, one of --link-word, or "default" for that of the service.' }],
  input: async (context) => {
    const word = context.word('WORD')
    if (word === 'default') return { guid: context.word('GUID'), word: '' }
    await noteUnknownWord(context, word)
    return { guid: context.word('GUID'), word }
  },
  text: ({ guid, word }) =>
    `The events of webhook ${guid} use ${word === '' ? 'the word of the service' : `"${word}"`}.`,
})

export const webhookRedeliver = operatorCommand('webhook redeliver', 'redeliverWebhook', {
  summary: 'Send the events of a delivery again, or all that failed since a time',
  words: [guid],
  flags: [
    { name: 'delivery', value: 'ID', description: 'A delivery, as shown by "webhook log" (D...).' },
    { name: 'since', value: 'TIME', description: 'All dead letters since this time: 2026-11-15T08:00:00Z.' },
  ],
  input: ({ word, flag }) => {
    const delivery = flag('delivery')
    const since = flag('since')
    if ((delivery === undefined) === (since === undefined)) {
      throw new OperatorError('Name either a delivery (--delivery ID) or a time (--since TIME).', 2)
    }
    return { guid: word('GUID'), delivery, since }
  },
  text: ({ count, isRunning }) =>
    `${count} ${count === 1 ? 'event is' : 'events are'} sent again${isRunning ? '' : ' after the next start of the service'}.`,
})

function stateOf({ isActive, alertedAt, alertDelivery, deactivatedAt, lost }: ListedWebhook): string {
  const told = alertDelivery === 'not_sent' ? ', no mail sent' : ''
  if (!isActive) return deactivatedAt === undefined ? 'inactive' : `deactivated ${minute(deactivatedAt)}${told}`
  if (lost.length > 0) return 'undecryptable'
  return alertedAt === undefined ? 'active' : `alert ${minute(alertedAt)}${told}`
}

function row({ id, at, status, failure, durationMs, eventIds, tries, nextTryAt }: Delivery): string[] {
  const when = new Date(at).toISOString().slice(0, 19).replace('T', ' ')
  const next = nextTryAt === undefined ? '-' : new Date(nextTryAt).toISOString().slice(0, 19).replace('T', ' ')
  return [id, when, failure ?? String(status), `${durationMs} ms`, String(eventIds.length), String(tries), next]
}
