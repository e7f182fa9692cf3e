/** Signatures by the Standard Webhooks convention (docs/api/webhooks.md#signatures). */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { SigningSecret } from './webhook.js'

const prefix = 'whsec_'

export function newSigningSecret(): string {
  return prefix + randomBytes(32).toString('base64')
}

/** Until the former secret expires, there is a signature with each of the two. */
export function signatureHeaders(
  secret: SigningSecret,
  message: { readonly id: string; readonly body: string; readonly now: number },
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(message.now / 1000))
  const signed = `${message.id}.${timestamp}.${message.body}`
  const { current, previous } = secret
  const secrets = previous && previous.until > message.now ? [current, previous.secret] : [current]
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((each) => `v1,${signature(each, signed)}`).join(' '),
  }
}

/** The same for each attempt at the same events. The convention forbids dots in an id; event ids may contain them. */
export function messageId(webhookGuid: string, eventIds: readonly string[]): string {
  const hash = createHash('sha256').update([webhookGuid, ...eventIds].join('\n'))
  return `msg_${hash.digest('base64url').slice(0, 27)}`
}

function signature(secret: string, signed: string): string {
  return createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
    .update(signed)
    .digest('base64')
}
