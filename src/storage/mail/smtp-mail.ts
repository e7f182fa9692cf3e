/** Mail over SMTP by nodemailer. What is written in it is core's. */
import { createTransport } from 'nodemailer'
import type { Mail } from '../../core/sign-in/messages.js'
import type { Closable } from '../../lib/closing.js'

export interface SmtpOptions {
  /** `smtp://user:password@host:587` (STARTTLS when offered) or `smtps://...:465`. */
  readonly url: string
  readonly from: string
}

// Our choice: a caller may be waiting for this.
const patience = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

export function smtpMail({ url, from }: SmtpOptions): Mail & Closable {
  const transport = createTransport({ url, ...patience })
  return {
    async send({ to, subject, text }) {
      // Given as a list of one object: an address is never read as several.
      await transport.sendMail({ from, to: [{ name: '', address: to }], subject, text })
    },
    close: () => transport.close(),
  }
}
