/** SMS through any gateway that takes `POST {"to", "text"}`; a few lines of glue make others do. */
import type { Sms } from '../../core/sign-in/messages.js'

export interface SmsGatewayOptions {
  readonly url: string
  /** Sent as `Authorization: Bearer <secret>`. */
  readonly secret: string | undefined
  /** Milliseconds. */
  readonly patience?: number
}

// Our choice: somebody is waiting to sign in.
const defaultPatience = 10_000

export function smsGateway({ url, secret, patience = defaultPatience }: SmsGatewayOptions): Sms {
  return {
    async send(to, text) {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
        },
        body: JSON.stringify({ to, text }),
        // The secret and the code are for the gateway alone.
        redirect: 'error',
        signal: AbortSignal.timeout(patience),
      })
      await response.body?.cancel()
      if (!response.ok)
        throw new Error(`The SMS gateway answered ${response.status}. Check smsGatewayUrl and its secret.`)
    },
  }
}
