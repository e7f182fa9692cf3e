/**
 * The commands: what each does and in which state it is valid. Checks run in nsqd's order, so errors match.
 * A command returns a response text, nothing, or a request for more bytes; it throws a ProtocolError to refuse.
 */
import { isGranted, type Permission } from './authorization.js'
import type { Client } from './client.js'
import type { Answer, Outcome, WantsBytes } from './command-reader.js'
import type { DeliveryError } from './deliveries.js'
import { isValidName, positionOf } from './frames.js'
import { grant, negotiationAnswer, readIdentification } from './identify.js'
import { type ErrorCode, ProtocolError } from './protocol-error.js'

type Command = (client: Client, words: readonly string[]) => Outcome

export function execute(client: Client, line: string): Outcome {
  const words = line.split(' ')
  const name = words[0] ?? ''
  const command = commands.get(name)
  if (name !== 'IDENTIFY' && client.listener.tlsRequired && !client.tls)
    throw invalid(`cannot ${name} in current state (TLS required)`)
  if (!command) throw invalid(`invalid command ${name}`)
  return command(client, words)
}

const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['IDENTIFY', identify],
  ['AUTH', authenticate],
  ['SUB', subscribe],
  ['RDY', ready],
  ['FIN', finish],
  ['REQ', requeue],
  ['TOUCH', touch],
  ['CLS', startClosing],
  ['NOP', () => undefined],
  ['PUB', publish],
  ['MPUB', publishMany],
  ['DPUB', publishDeferred],
])

function identify(client: Client): Outcome {
  if (client.state !== 'init') throw wrongState('IDENTIFY')
  const { limits, authorize } = client.host
  return wantsBody('IDENTIFY', limits.maxBodySize, (body) => {
    const { settings, negotiates, requested } = readIdentification(body, limits, client.settings)
    client.use(settings)
    if (!negotiates) return 'OK'
    const granted = grant(requested, limits, client.listener.secureContext !== undefined)
    client.respond(negotiationAnswer(settings, granted, limits, authorize !== undefined))
    return granted.tls || granted.deflate ? client.upgrade(granted) : undefined
  })
}

function authenticate(client: Client, words: readonly string[]): Outcome {
  if (client.state !== 'init') throw wrongState('AUTH')
  if (words.length !== 1) throw invalid('AUTH invalid number of parameters')
  return wantsBody('AUTH', client.host.limits.maxBodySize, async (body) => {
    const { identity, identityUrl, grants } = await client.authorize(body.toString('utf8'))
    if (grants.length === 0) throw new ProtocolError('E_UNAUTHORIZED', 'AUTH no authorizations found')
    return JSON.stringify({ identity, identity_url: identityUrl, permission_count: grants.length })
  })
}

function subscribe(client: Client, words: readonly string[]): Outcome {
  if (client.state !== 'init') throw wrongState('SUB')
  if (client.settings.heartbeatInterval === 0) throw invalid('cannot SUB with heartbeats disabled')
  const [, topic, channel] = words
  if (topic === undefined || channel === undefined) throw invalid('SUB insufficient number of parameters')
  if (!isValidName(topic)) throw badTopic('SUB', topic)
  if (!isValidName(channel))
    throw new ProtocolError('E_BAD_CHANNEL', `SUB channel name ${JSON.stringify(channel)} is not valid`)
  return permitted(client, 'SUB', 'subscribe', topic, channel, () => {
    try {
      client.subscribe(topic, channel)
      return 'OK'
    } catch (error) {
      throw error instanceof ProtocolError ? error : new ProtocolError('E_SUB_FAILED', 'SUB failed', error)
    }
  })
}

function ready(client: Client, words: readonly string[]): Outcome {
  // The client may not have read CLOSE_WAIT yet.
  if (client.state === 'closing') return undefined
  if (client.state !== 'subscribed') throw wrongState('RDY')
  const count = words[1] === undefined ? 1 : digits(words[1])
  if (count === undefined) throw invalid(`RDY could not parse count ${words[1]}`)
  const max = client.host.limits.maxReadyCount
  if (count > max) throw invalid(`RDY count ${words[1]} out of range 0-${max}`)
  client.setReady(count)
  return undefined
}

function finish(client: Client, words: readonly string[]): Outcome {
  const id = messageIn(client, 'FIN', words, 2)
  throwMistake('E_FIN_FAILED', `FIN ${id}`, client.finish(positionOf(id)))
  return undefined
}

function requeue(client: Client, words: readonly string[]): Outcome {
  const id = messageIn(client, 'REQ', words, 3)
  const delay = digits(words[2] ?? '')
  if (delay === undefined) throw invalid(`REQ could not parse timeout ${words[2]}`)
  const cut = Math.min(delay, client.host.limits.maxRequeueDelay)
  throwMistake('E_REQ_FAILED', `REQ ${id}`, client.requeue(positionOf(id), cut))
  return undefined
}

function touch(client: Client, words: readonly string[]): Outcome {
  const id = messageIn(client, 'TOUCH', words, 2)
  throwMistake('E_TOUCH_FAILED', `TOUCH ${id}`, client.touch(positionOf(id)))
  return undefined
}

function startClosing(client: Client): Outcome {
  if (client.state !== 'subscribed') throw wrongState('CLS')
  client.startClosing()
  return 'CLOSE_WAIT'
}

function publish(client: Client, words: readonly string[]): Outcome {
  const topic = topicIn('PUB', words, 2)
  return wantsMessage('PUB', client, (body) =>
    permitted(client, 'PUB', 'publish', topic, '', () => published(client, 'PUB', topic, [body], 0)),
  )
}

function publishMany(client: Client, words: readonly string[]): Outcome {
  const topic = topicIn('MPUB', words, 2)
  const { maxBodySize } = client.host.limits
  // As in nsqd, MPUB is the only command that checks permission before reading the body.
  return permitted(client, 'MPUB', 'publish', topic, '', () =>
    wantsSize(refusedBody('MPUB', maxBodySize), maxBodySize, () =>
      wantsMessages(client, (messages) => published(client, 'MPUB', topic, messages, 0)),
    ),
  )
}

function publishDeferred(client: Client, words: readonly string[]): Outcome {
  const topic = topicIn('DPUB', words, 3)
  const delay = digits(words[2] ?? '')
  if (delay === undefined) throw invalid(`DPUB could not parse timeout ${words[2]}`)
  const max = client.host.limits.maxRequeueDelay
  if (delay > max) throw invalid(`DPUB timeout ${words[2]} out of range 0-${max}`)
  return wantsMessage('DPUB', client, (body) =>
    permitted(client, 'DPUB', 'publish', topic, '', () => published(client, 'DPUB', topic, [body], delay)),
  )
}

function published(
  client: Client,
  command: 'PUB' | 'MPUB' | 'DPUB',
  topic: string,
  messages: readonly Buffer[],
  delay: number,
): string {
  try {
    client.publish(topic, messages, delay)
    return 'OK'
  } catch (error) {
    throw new ProtocolError(`E_${command}_FAILED`, `${command} failed`, error)
  }
}

/** Runs at once while the authorization is fresh; after its TTL it asks again first. */
function permitted(
  client: Client,
  command: string,
  permission: Permission,
  topic: string,
  channel: string,
  then: () => Answer,
): Outcome {
  if (!client.host.authorize) return then()
  if (!client.credentials.answer?.grants.length)
    throw new ProtocolError('E_AUTH_FIRST', `AUTH required before ${command}`)
  const decide = (): Answer => {
    if (!isGranted(client.credentials.answer?.grants ?? [], permission, topic, channel))
      throw new ProtocolError('E_UNAUTHORIZED', `AUTH failed for ${command} on "${topic}" "${channel}"`)
    return then()
  }
  return client.credentials.fresh ? decide() : client.authorize().then(decide)
}

/**
 * Reads a message count, then each message after its size. As in nsqd, these sizes alone say where the batch ends; the
 * total size before the count is not used.
 * Nothing is published before the last message has arrived, so the batch has a size limit too.
 */
function wantsMessages(client: Client, use: (messages: readonly Buffer[]) => Answer): WantsBytes {
  const { maxBodySize, maxMessageSize } = client.host.limits
  const messages: Buffer[] = []
  let count = 0
  let left = maxBodySize
  const next = (): Answer =>
    messages.length === count ? use(messages) : wantsSize(refuse, Math.min(maxMessageSize, left), take)
  const take = (size: number): WantsBytes =>
    wants(size, (message) => {
      messages.push(message)
      left -= size
      return next()
    })
  const refuse = (size: number): ProtocolError => {
    if (size <= 0) return badMessage(`MPUB invalid message(${messages.length}) body size ${size}`)
    return size > maxMessageSize
      ? badMessage(`MPUB message too big ${size} > ${maxMessageSize}`)
      : refusedBody('MPUB', maxBodySize)(maxBodySize - left + size)
  }
  const max = Math.floor((maxBodySize - 4) / 5)
  const refuseCount = (size: number) => new ProtocolError('E_BAD_BODY', `MPUB invalid message count ${size}`)
  return wantsSize(refuseCount, max, (size) => {
    count = size
    return next()
  })
}

function wants(count: number, use: WantsBytes['use']): WantsBytes {
  return { count, use }
}

/** Reads a four-byte size and refuses an invalid one before reading further. */
function wantsSize(refuse: (size: number) => ProtocolError, limit: number, use: (size: number) => Outcome): WantsBytes {
  return wants(4, (bytes) => {
    const size = bytes.readInt32BE(0)
    if (size <= 0 || size > limit) throw refuse(size)
    return use(size)
  })
}

function wantsBody(command: string, limit: number, use: WantsBytes['use']): WantsBytes {
  return wantsSize(refusedBody(command, limit), limit, (size) => wants(size, use))
}

function refusedBody(command: string, limit: number): (size: number) => ProtocolError {
  return (size) =>
    new ProtocolError(
      'E_BAD_BODY',
      size > limit ? `${command} body too big ${size} > ${limit}` : `${command} invalid body size ${size}`,
    )
}

function wantsMessage(command: string, client: Client, use: WantsBytes['use']): WantsBytes {
  const limit = client.host.limits.maxMessageSize
  const refuse = (size: number): ProtocolError =>
    badMessage(
      size > limit ? `${command} message too big ${size} > ${limit}` : `${command} invalid message body size ${size}`,
    )
  return wantsSize(refuse, limit, (size) => wants(size, use))
}

function topicIn(command: string, words: readonly string[], needed: number): string {
  const topic = words[1]
  if (topic === undefined || words.length < needed) throw invalid(`${command} insufficient number of parameters`)
  if (!isValidName(topic)) throw badTopic(command, topic)
  return topic
}

function messageIn(client: Client, command: string, words: readonly string[], needed: number): string {
  if (client.state === 'init') throw wrongState(command)
  const id = words[1]
  if (id === undefined || words.length < needed) throw invalid(`${command} insufficient number of params`)
  if (id.length !== 16) throw invalid('invalid message ID')
  return id
}

function throwMistake(code: ErrorCode, what: string, deliveryError: DeliveryError | undefined): void {
  if (deliveryError !== undefined) throw new ProtocolError(code, `${what} failed ${deliveryError}`)
}

/** Decimal digits only; an empty string is 0, as in nsqd. */
function digits(text: string): number | undefined {
  return /^[0-9]*$/.test(text) ? Number(text) : undefined
}

function wrongState(command: string): ProtocolError {
  return invalid(`cannot ${command} in current state`)
}

function invalid(text: string): ProtocolError {
  return new ProtocolError('E_INVALID', text)
}

function badMessage(text: string): ProtocolError {
  return new ProtocolError('E_BAD_MESSAGE', text)
}

function badTopic(command: string, topic: string): ProtocolError {
  return new ProtocolError('E_BAD_TOPIC', `${command} topic name ${JSON.stringify(topic)} is not valid`)
}
