import { createHmac } from 'node:crypto'

/**
 * What the service itself says to daemons that ask who publishes. It follows from the secret that ends the URL of our
 * auth server, so that every process of the service knows it; and it is another one, because that URL is seen in
 * command lines and logs.
 */
export function publisherSecret(authSecret: string): string {
  return createHmac('sha256', authSecret).update('shortlink publishes to nsqd').digest('hex')
}
