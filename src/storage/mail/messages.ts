/** Sends SMS (an HTTP gateway), or logs mail and SMS; smtp.ts sends mail. Core writes the text. */

import type { Mail, Sms } from '../../core/sign-in/messages.js'
import { CircuitBreaker, type Remote } from '../../lib/circuit-breaker.js'
import type { Logger } from '../../lib/logger.js'
import { messageOf } from '../../lib/message-of.js'

export interface SmsGatewayOptions {
  readonly url: string
  /** Sent as `Authorization: Bearer <secret>`. */
  readonly secret: string | undefined
  /** Milliseconds. */
  readonly timeout?: number
}

// A user is waiting to sign in.
const defaultTimeout = 10_000

/** Sends SMS through an HTTP gateway that accepts `POST {"to", "text"}`; other gateways need a small adapter. */
export function smsGateway({ url, secret, timeout = defaultTimeout }: SmsGatewayOptions): Sms & Remote {
  const server = new CircuitBreaker()

  async function post(to: string, text: string): Promise<void> {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
      },
      body: JSON.stringify({ to, text }),
      // Do not send the secret and the code to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(timeout),
    })
    await response.body?.cancel()
    if (!response.ok)
      throw new Error(`The SMS gateway answered ${response.status}. Check smsGatewayUrl and its secret.`)
  }

  return {
    server,
    async send(to, text) {
      try {
        await post(to, text)
        server.succeeded()
      } catch (error) {
        server.failed(messageOf(error))
        throw error
      }
    },
  }
}

/** Without an SMTP server, mail is written to the log for the operator. */
export function loggedMail(log: Logger): Mail {
  return {
    delivery: 'not_sent',
    async send({ to, subject, text }) {
      log.warn({ to, subject, text }, 'MAIL NOT SENT, no smtpUrl is set: forward this message yourself')
    },
  }
}

/** For development only: in production, anybody who reads the log could sign in as any user. */
export function loggedSms(log: Logger): Sms {
  return {
    async send(to, text) {
      log.warn({ to, text }, 'SMS NOT SENT, no smsGatewayUrl is set: this is its text')
    },
  }
}
