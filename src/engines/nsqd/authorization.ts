/**
 * Authorization: which secret may subscribe or publish where. The server asks once per connection and again after the
 * TTL.
 */

export type Permission = 'subscribe' | 'publish'

export interface Grant {
  /** An exact name, or any topic. */
  readonly topic: string | typeof any
  /** Exact names, or any channel. Not used for publishing. */
  readonly channels: readonly string[] | typeof any
  readonly permissions: readonly Permission[]
}

export interface Authorization {
  readonly identity: string
  readonly identityUrl: string
  /** Seconds until the server asks again. */
  readonly ttl: number
  /** Empty when the secret is unknown or has no permissions. */
  readonly grants: readonly Grant[]
}

/** A rejected promise means the check itself failed. The client only gets E_AUTH_FAILED, without the reason. */
export type Authorize = (secret: string, remoteAddress: string) => Promise<Authorization>

export const any = Symbol('any')

/** Compares exact names, not patterns: a dot in a topic name is not a wildcard. */
export function isGranted(grants: readonly Grant[], permission: Permission, topic: string, channel: string): boolean {
  return grants.some(
    (grant) =>
      grant.permissions.includes(permission) &&
      (grant.topic === any || grant.topic === topic) &&
      (permission === 'publish' || grant.channels === any || grant.channels.includes(channel)),
  )
}
