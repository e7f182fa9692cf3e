/** Sends mail (SMTP, with nodemailer) and SMS (an HTTP gateway), or logs them. Core writes the text. */
import { createTransport } from 'nodemailer'
import type { Mail, Sms } from '../../core/sign-in/messages.js'
import type { Closable } from '../../lib/closing.js'
import type { Logger } from '../../lib/logger.js'

export interface SmtpOptions {
  /** `smtp://user:password@host:587` (STARTTLS when offered) or `smtps://...:465`. */
  readonly url: string
  readonly from: string
}

// A caller may be waiting for it.
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

export function smtpMail({ url, from }: SmtpOptions): Mail & Closable {
  const transport = createTransport({ url, ...timeouts })
  return {
    async send({ to, subject, text }) {
      // As a list of one object, so that nodemailer never parses it as several addresses.
      await transport.sendMail({ from, to: [{ name: '', address: to }], subject, text })
    },
    close: () => transport.close(),
  }
}

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
export function smsGateway({ url, secret, timeout = defaultTimeout }: SmsGatewayOptions): Sms {
  return {
    async send(to, text) {
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
    },
  }
}

/** Without an SMTP server, mail is written to the log for the operator. */
export function loggedMail(log: Logger): Mail {
  return {
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
