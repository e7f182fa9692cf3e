/**
 * Sends events to the receivers of webhooks: signed, over the guarded client, with the credentials of the URL or a token
 * of the receiver's OAuth server. Never rejects: a failure is a result. Must not know when to try again.
 */
import { messageId, signatureHeaders } from '../../core/webhooks/sign.js'
import type { OauthReceiver, Webhook } from '../../core/webhooks/webhook.js'
import type { SendResult, SentEvent } from '../../core/webhooks/webhook-queue.js'
import { isObject } from '../../lib/is-object.js'
import type { GuardedClient } from '../outgoing/guarded-client.js'
import { OutgoingError } from '../outgoing/outgoing-error.js'

export interface ReceiverDeps {
  readonly client: Pick<GuardedClient, 'request'>
  readonly now: () => number
  /** Milliseconds for one request. */
  readonly timeout: number
}

/** Bytes of the response for the delivery log. More is read, so that the connection can be used again. */
const loggedAnswer = 1024
const maxAnswer = 64 * 1024
const maxRedirects = 3
/** A token is fetched again this long before it expires. */
const tokenMargin = 30_000
/** For a token without `expires_in`. */
const defaultLifetime = 300_000

export class Receivers {
  readonly #deps: ReceiverDeps
  /** By webhook. */
  readonly #tokens = new Map<string, { readonly receiver: OauthReceiver; readonly token: string; until: number }>()

  constructor(deps: ReceiverDeps) {
    this.#deps = deps
  }

  async send(webhook: Webhook, events: readonly SentEvent[]): Promise<SendResult> {
    try {
      const first = await this.#post(webhook, events)
      if (first.status !== 401 || !webhook.oauth) return first
      // The receiver no longer accepts the token.
      this.#tokens.delete(webhook.guid)
      return await this.#post(webhook, events)
    } catch (error) {
      if (!(error instanceof OutgoingError || error instanceof TokenError)) throw error
      const reason = error instanceof OutgoingError ? `${error.reason}: ${error.message}` : error.message
      return { status: undefined, failure: reason, answer: '', isGone: false }
    }
  }

  async #post(webhook: Webhook, events: readonly SentEvent[]): Promise<SendResult> {
    const { url, authorization } = withoutCredentials(webhook.url)
    const token = webhook.oauth && (await this.#tokenFor(webhook.guid, webhook.oauth))
    const body = bodyOf(webhook, events)
    const id = messageId(
      webhook.guid,
      events.map(({ eventId }) => eventId),
    )
    const { status, body: answer } = await this.#deps.client.request({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        'user-agent': 'shortlink-webhooks/1',
        ...signatureHeaders(webhook.secret, { id, body, now: this.#deps.now() }),
        ...(token === undefined ? authorization : { authorization: `Bearer ${token}` }),
      },
      body,
      timeoutMs: this.#deps.timeout,
      maxBodyBytes: maxAnswer,
      truncate: true,
      maxRedirects,
    })
    const isAccepted = status >= 200 && status < 300
    return {
      status,
      failure: isAccepted ? undefined : `status ${status}`,
      answer: readable(answer.subarray(0, loggedAnswer)),
      isGone: status === 410,
    }
  }

  async #tokenFor(webhookGuid: string, receiver: OauthReceiver): Promise<string> {
    const known = this.#tokens.get(webhookGuid)
    if (known && known.until > this.#deps.now() && isSame(known.receiver, receiver)) return known.token
    const { url } = withoutCredentials(receiver.url)
    const { status, body } = await this.#deps.client.request({
      url,
      method: 'POST',
      headers: {
        authorization: basic(receiver.clientId, receiver.clientSecret),
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: 'grant_type=client_credentials',
      timeoutMs: this.#deps.timeout,
      maxBodyBytes: maxAnswer,
    })
    const answer = status === 200 ? parsed(body) : undefined
    if (!isObject(answer) || typeof answer.access_token !== 'string' || !/^[\x21-\x7e]+$/.test(answer.access_token)) {
      throw new TokenError(`the OAuth server issued no token (status ${status})`)
    }
    const seconds = Number(answer.expires_in)
    const lifetime = seconds > 0 ? seconds * 1000 : defaultLifetime
    const until = this.#deps.now() + Math.max(0, lifetime - tokenMargin)
    this.#tokens.set(webhookGuid, { receiver, token: answer.access_token, until })
    return answer.access_token
  }
}

class TokenError extends Error {}

/** One event as it is; with `batch`, a list of them. */
function bodyOf({ guid, batch }: Webhook, events: readonly SentEvent[]): string {
  const [first] = events
  if (batch === 1 && first) return first.payload
  const list = events.map(({ payload }) => payload).join(',')
  return `{"event_type":"batch","webhook_guid":${JSON.stringify(guid)},"events":[${list}]}`
}

function withoutCredentials(text: string): { url: string; authorization: Readonly<Record<string, string>> } {
  const url = new URL(text)
  const { username, password } = url
  if (username === '' && password === '') return { url: text, authorization: {} }
  url.username = ''
  url.password = ''
  const authorization = basic(decodeURIComponent(username), decodeURIComponent(password))
  return { url: url.href, authorization: { authorization } }
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

function isSame(one: OauthReceiver, other: OauthReceiver): boolean {
  return one.url === other.url && one.clientId === other.clientId && one.clientSecret === other.clientSecret
}

/** PostgreSQL cannot store NUL. */
function readable(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\0', '\ufffd')
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
