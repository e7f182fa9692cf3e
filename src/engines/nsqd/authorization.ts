/** Who may do what. The endpoint asks once per connection, keeps the answer for its time to live, and asks again. */

export type Permission = 'subscribe' | 'publish'

export interface Grant {
  /** The exact name, or any topic. */
  readonly topic: string | typeof any
  /** The exact names, or any channel. Publishing asks for no channel. */
  readonly channels: readonly string[] | typeof any
  readonly permissions: readonly Permission[]
}

export interface Authorization {
  readonly identity: string
  readonly identityUrl: string
  /** Seconds until the secret is looked at again. */
  readonly ttl: number
  /** None: the secret is not known, or nothing is allowed to it. */
  readonly grants: readonly Grant[]
}

/** A promise that is rejected means that nobody could say; the client learns that much and no more. */
export type Authorize = (secret: string, remoteAddress: string) => Promise<Authorization>

export const any = Symbol('any')

/** Names are compared as they are, never as patterns: a topic with a dot in it is not a wildcard. */
export function isGranted(grants: readonly Grant[], permission: Permission, topic: string, channel: string): boolean {
  return grants.some(
    (grant) =>
      grant.permissions.includes(permission) &&
      (grant.topic === any || grant.topic === topic) &&
      (permission === 'publish' || grant.channels === any || grant.channels.includes(channel)),
  )
}
