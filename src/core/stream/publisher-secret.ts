import { createHmac } from 'node:crypto'

/**
 * The secret with which the service authenticates to nsqd as publisher. Derived from the secret in the URL of the auth
 * server, so every process knows it; different from it, because that URL appears in command lines and logs.
 */
export function publisherSecret(authSecret: string): string {
  return createHmac('sha256', authSecret).update('shortlink publishes to nsqd').digest('hex')
}
