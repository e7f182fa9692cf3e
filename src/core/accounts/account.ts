import type { GroupRole, LinkPrivacy } from './actor.js'
import type { Scope } from './scopes.js'

export interface User {
  readonly login: string
  readonly name: string
  readonly email: string | undefined
  /** The user opened a link that was mailed to the address. */
  readonly isEmailVerified: boolean
  readonly hasTwoFactor: boolean
  readonly isActive: boolean
  readonly createdAt: number
  readonly modifiedAt: number
  readonly defaultGroupGuid: string
  /** What the user's new links are, unless a request says otherwise. */
  readonly defaultLinkPrivacy: LinkPrivacy
}

export interface UserChange {
  readonly name?: string | undefined
  readonly defaultGroupGuid?: string | undefined
  readonly defaultLinkPrivacy?: LinkPrivacy | undefined
}

export interface Account {
  readonly login: string
  readonly name: string
  readonly email: string | undefined
  readonly passwordHash: string
  readonly isActive: boolean
  readonly twoFactor: TwoFactor | undefined
  /** How many there are. Each is a second factor, too. */
  readonly passkeys: number
}

/** The second factor: codes by SMS or from an authenticator app (TOTP). */
export type TwoFactor = { readonly by: 'sms'; readonly phone: string } | { readonly by: 'app'; readonly secret: string }

export interface TokenRecord {
  readonly guid: string
  readonly hint: string
  readonly login: string
  readonly label: string
  readonly clientId: string | undefined
  /** The word for short links in answers: its own, or else that of the application. */
  readonly answersIn?: string | undefined
  readonly scopes: readonly Scope[]
  /** The only groups that it reaches; undefined: all of its user. */
  readonly groupGuids: readonly string[] | undefined
  /** The only domains whose links it reaches; undefined: all. */
  readonly domains: readonly string[] | undefined
  readonly expiresAt: number | undefined
  /** The token that it was rotated to. */
  readonly replacedBy: string | undefined
  readonly createdAt: number
  readonly lastUsedAt: number | undefined
  readonly revokedAt: number | undefined
}

export interface ApiKeyRecord {
  readonly guid: string
  readonly hint: string
  readonly login: string
  readonly label: string
  readonly createdAt: number
  readonly lastUsedAt: number | undefined
}

/** Whether a mail was handed over to the mail server. Without one, nothing is sent. */
export type MailDelivery = 'sent' | 'not_sent'

export interface Invitation {
  readonly guid: string
  readonly email: string
  readonly organizationGuid: string
  readonly organizationName: string
  readonly groupGuid: string
  readonly groupName: string
  readonly role: GroupRole
  readonly invitedBy: string
  /** Undefined for those from before this was stored. */
  readonly delivery: MailDelivery | undefined
  readonly createdAt: number
  readonly expiresAt: number
}
