/** What a service without SMTP or SMS gateway does with messages: the operator finds them in the log. */
import type { Mail, Sms } from '../../core/sign-in/messages.js'
import type { Logger } from '../../lib/logger.js'

export function loggedMail(log: Logger): Mail {
  return {
    async send({ to, subject, text }) {
      log.warn({ to, subject, text }, 'MAIL NOT SENT, no smtpUrl is set: pass this message on yourself')
    },
  }
}

/** For development only: in production whoever reads the log could sign in as anybody. */
export function loggedSms(log: Logger): Sms {
  return {
    async send(to, text) {
      log.warn({ to, text }, 'SMS NOT SENT, no smsGatewayUrl is set: this is its text')
    },
  }
}
