import type { OrganizationRole } from './actor.js'
import type { MemberRole } from './group-store.js'

/**
 * Stores who users are at identity providers, the roles that come from there, and what sessions know of them. Each method
 * is one atomic step; identities.contract.ts tests the promises.
 */
export interface IdentityStore {
  /** Also deletes those that have expired. */
  addProviderSignIn(begun: BegunSignIn): Promise<void>
  /** Of racing callers, one gets it. Undefined when it is unknown, used or expired, or was begun by another browser. */
  useProviderSignIn(stateHash: string, browserHash: string, now: number): Promise<BegunAt | undefined>
  /**
   * Finds, links or creates the user of an identity and gives the roles. A login that is taken gets a number. Roles that
   * people gave stay, a higher one is given on top, and roles of this issuer that are not among them are taken away; the
   * only active administrator of an organization stays one. Racing callers get one user. Whoever was provisioned with the
   * external id is that user, and their groups are those of SCIM, as soon as the provider has sent any.
   */
  enterByIdentity(entry: IdentityEntry): Promise<Entered>
  /** All identities, or those of one user, in the order of issuer and subject. */
  identities(login: string | undefined): Promise<readonly IdentityRecord[]>
  /** Of racing callers with one time of the last check, one gets the tokens, and has to ask the provider. */
  claimSessionCheck(secretHash: string, lastCheck: number, at: number): Promise<ClaimedSession>
  /** The provider confirmed the session. */
  confirmSession(secretHash: string, at: number): Promise<void>
  /** Those that the provider gave now. */
  keepProviderTokens(secretHash: string, tokens: ProviderTokens): Promise<void>
  /** Ends the sessions of an identity, or one session of the provider, that were begun until then. */
  endProviderSessions(which: EndedSessions): Promise<SessionsEnd>
  /** The oldest active one. */
  firstOrganization(): Promise<string | undefined>
}

/** The issuer keeps subjects unique, and never gives one to somebody else. */
interface Identity {
  readonly issuer: string
  readonly subject: string
}

interface IdentityRecord extends Identity {
  readonly login: string
  readonly createdAt: number
  readonly lastSignInAt: number
  readonly externalId: string | undefined
}

interface BegunAt {
  /** The id of the provider. */
  readonly provider: string
  /** The page to open afterwards. */
  readonly next: string
}

interface BegunSignIn extends BegunAt {
  readonly stateHash: string
  readonly browserHash: string
  readonly at: number
  readonly expiresAt: number
}

/** What groups of the provider mean: whether their people may sign in, and which roles they have. */
interface Access {
  readonly mayEnter: boolean
  /** Undefined: people give the roles, and a new user is a member of the first group. */
  readonly roles: readonly GivenRole[] | undefined
}

/** A pure function: a transaction may run it again. */
export type AccessOf = (groups: readonly string[]) => Access

export interface IdentityEntry extends Identity, Access {
  readonly externalId: string | undefined
  /** For groups of SCIM. */
  readonly accessOf: AccessOf
  /** For a new user; the first that is free of `ada`, `ada-2`, `ada-3`... */
  readonly login: string
  readonly name: string
  /** Undefined unless the provider has verified it. */
  readonly email: string | undefined
  /** Whether a user who has confirmed this address is the same person. */
  readonly link: boolean
  /** Without a slash at the end. An address that one of them verified counts as confirmed. */
  readonly trustedIssuers: readonly string[]
  readonly create: boolean
  readonly passwordHash: string
  readonly at: number
}

export type GivenRole =
  | { readonly in: 'organization'; readonly guid: string; readonly role: OrganizationRole }
  | { readonly in: 'group'; readonly guid: string; readonly role: MemberRole }

/** `role` undefined: it was taken away. */
export interface RoleChange {
  readonly in: 'organization' | 'group'
  readonly guid: string
  readonly organizationGuid: string
  readonly role: MemberRole | OrganizationRole | undefined
}

export type Entered =
  | {
      readonly outcome: 'entered'
      readonly login: string
      readonly how: 'known' | 'linked' | 'created'
      readonly changes: readonly RoleChange[]
    }
  /** Nobody has the identity, and it must not be linked or created. */
  | { readonly outcome: 'unknown' }
  /** The operator deactivated the user, or the provider did by SCIM. */
  | { readonly outcome: 'inactive'; readonly login: string }
  /** Known, and in no group that may sign in. */
  | { readonly outcome: 'not-allowed'; readonly login: string; readonly changes: readonly RoleChange[] }
  /** Not in any group. A known user has lost the roles of the provider; nobody is created. */
  | { readonly outcome: 'no-group'; readonly login: string | undefined; readonly changes: readonly RoleChange[] }

/** How a session came from a provider. */
export interface ProvidedSession extends Identity {
  /** The `sid` of the provider. */
  readonly providerSession: string | undefined
  readonly tokens: ProviderTokens
}

export interface ProviderTokens {
  readonly refreshToken?: string | undefined
  readonly idToken?: string | undefined
}

/** The same, as it is read with each use. */
export interface SessionProvenance extends Identity {
  readonly checkedAt: number
  readonly confirmedAt: number
}

type ClaimedSession =
  /** Another caller asks, or the session has ended. */
  | { readonly outcome: 'not-mine' }
  /** Undefined tokens cannot be decrypted any more. */
  | { readonly outcome: 'mine'; readonly tokens: ProviderTokens | undefined }

interface EndedSessions {
  readonly issuer: string
  /** At least one of the two. */
  readonly subject?: string | undefined
  readonly providerSession?: string | undefined
  readonly begunUntil: number
  /** Whose tokens and API keys are revoked too, whether or not there was a session. */
  readonly tokensOf?: string | undefined
}

interface SessionsEnd {
  /** Who had one. */
  readonly logins: readonly string[]
  /** Guids of tokens and API keys. */
  readonly revoked: readonly string[]
}
