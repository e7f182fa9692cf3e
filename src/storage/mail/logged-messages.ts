/** Without an SMTP server or SMS gateway, messages are written to the log for the operator. */
import type { Mail, Sms } from '../../core/sign-in/messages.js'
import type { Logger } from '../../lib/logger.js'

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
