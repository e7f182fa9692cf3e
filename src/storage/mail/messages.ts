/** Sends mail (SMTP, with nodemailer) and SMS (an HTTP gateway), or logs them. Core writes the text. */
import { createTransport } from 'nodemailer'
import type { Mail, Sms } from '../../core/sign-in/messages.js'
import { CircuitBreaker, type Remote } from '../../lib/circuit-breaker.js'
import type { Closable } from '../../lib/closing.js'
import type { Logger } from '../../lib/logger.js'
import { within } from '../../lib/within.js'

export interface SmtpOptions {
  /** `smtp://user:password@host:587` (STARTTLS when offered) or `smtps://...:465`. */
  readonly url: string
  readonly from: string
  /** Milliseconds for a whole message. */
  readonly timeout?: number
}

// A caller may be waiting for it. The last one is for all steps together: each answer begins the others again.
const timeouts = { dnsTimeout: 5000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }
const wholeTimeout = 30_000
/** Milliseconds between two attempts to connect, while the server does not answer. */
const verifyEvery = 60_000

export function smtpMail({ url, from, timeout = wholeTimeout }: SmtpOptions): Mail & Remote & Closable {
  const transport = createTransport({ url, ...timeouts })
  const breaker = new CircuitBreaker({
    probe: () => within(timeout, transport.verify(), 'The SMTP server'),
    pause: verifyEvery,
  })
  return {
    server: breaker,
    async send({ to, subject, text }) {
      try {
        // As a list of one object, so that nodemailer never parses it as several addresses.
        const sending = transport.sendMail({ from, to: [{ name: '', address: to }], subject, text })
        await within(timeout, sending, 'The SMTP server')
        breaker.succeeded()
      } catch (error) {
        // The server works if it refuses this message alone.
        if (isAboutMessage(error)) breaker.succeeded()
        else breaker.failed(error instanceof Error ? error.message : String(error))
        throw error
      }
    },
    close: () => {
      breaker.close()
      transport.close()
    },
  }
}

/** EENVELOPE, EMESSAGE: a recipient or the text was refused. */
function isAboutMessage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EENVELOPE' || error.code === 'EMESSAGE')
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
        server.failed(error instanceof Error ? error.message : String(error))
        throw error
      }
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
