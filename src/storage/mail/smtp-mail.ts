/** Sends mail over SMTP with nodemailer. Core writes the text. */
import { createTransport } from 'nodemailer'
import type { Mail } from '../../core/sign-in/messages.js'
import type { Closable } from '../../lib/closing.js'

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
