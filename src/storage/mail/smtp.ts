/** Sends mail by SMTP, with nodemailer. Loaded only with an SMTP server. */

import { createTransport } from 'nodemailer'
import type { Mail } from '../../core/sign-in/messages.js'
import { CircuitBreaker, type Remote } from '../../lib/circuit-breaker.js'
import type { Closable } from '../../lib/closing.js'
import { messageOf } from '../../lib/message-of.js'
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
    delivery: 'sent',
    async send({ to, subject, text }) {
      try {
        // As a list of one object, so that nodemailer never parses it as several addresses.
        const sending = transport.sendMail({ from, to: [{ name: '', address: to }], subject, text })
        await within(timeout, sending, 'The SMTP server')
        breaker.succeeded()
      } catch (error) {
        // The server works if it refuses this message alone.
        if (isAboutMessage(error)) breaker.succeeded()
        else breaker.failed(messageOf(error))
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
