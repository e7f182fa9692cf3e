/** Sends SMS through an HTTP gateway that accepts `POST {"to", "text"}`; other gateways need a small adapter. */
import type { Sms } from '../../core/sign-in/messages.js'

export interface SmsGatewayOptions {
  readonly url: string
  /** Sent as `Authorization: Bearer <secret>`. */
  readonly secret: string | undefined
  /** Milliseconds. */
  readonly timeout?: number
}

// A user is waiting to sign in.
const defaultTimeout = 10_000

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
