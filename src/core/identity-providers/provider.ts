/**
 * An identity provider (OpenID Connect) as the operator configured it, and what is asked of it. The rules of this folder
 * decide who is in; they must not know HTTP, nor how answers of a provider are checked.
 */
import type { ProviderTokens } from '../accounts/identity-store.js'

export interface ProviderSettings {
  /** Part of the callback URL. */
  readonly id: string
  /** On the button. */
  readonly name: string
  /** As configured; the provider's own spelling is in its answers. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly scopes: string
  readonly loginClaim: string
  readonly groupsClaim: string | undefined
  /** Empty: everybody whom the provider lets in. */
  readonly allowedGroups: readonly string[]
  /** Its people administer the oldest organization. */
  readonly adminGroup: string | undefined
  readonly groupRoles: readonly GroupRoleRule[]
  readonly createUsers: boolean
  readonly link: 'never' | 'verified-email'
  readonly autoRedirect: boolean
  /** Whether those who are kept out lose their tokens and API keys too. */
  readonly endTokens: boolean
  /** With which the provider keeps users and groups here (SCIM); undefined: it does not. */
  readonly scimToken: string | undefined
  /** The claim that is the `externalId` of SCIM. */
  readonly scimIdClaim: string
}

/** `in`: a group, or with `org-admin` and `auditor` an organization. */
export interface GroupRoleRule {
  readonly group: string
  readonly in: string
  readonly role: 'org-admin' | 'auditor' | 'group-admin' | 'member' | 'reader'
}

export interface IdentityProvider {
  readonly settings: ProviderSettings
  readonly client: ProviderClient
}

/** storage/oidc implements it. Each method rejects with a `ProviderFailure`. */
export interface ProviderClient {
  /** The issuer as the provider spells it. */
  issuer(): Promise<string>
  authorizationUrl(request: AuthorizationRequest): Promise<string>
  /** `parameters`: the query of the callback. */
  redeem(parameters: URLSearchParams, request: AuthorizationRequest): Promise<ProviderAnswer>
  /** `keep` gets the tokens before anything else that may fail: the provider may have replaced the refresh token. */
  refresh(
    refreshToken: string,
    subject: string,
    keep: (tokens: ProviderTokens) => Promise<void>,
  ): Promise<ProviderAnswer>
  /** Undefined when the provider has no page that ends its session. */
  endSessionUrl(idToken: string | undefined, returnTo: string): Promise<string | undefined>
  readLogoutToken(token: string): Promise<LogoutNotice>
}

export interface AuthorizationRequest {
  readonly redirectUri: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** Checked: it is from this provider, for us, and current. */
export interface ProviderAnswer {
  readonly issuer: string
  readonly subject: string
  readonly providerSession: string | undefined
  readonly claims: Claims
  /** Not with every refresh. */
  readonly hasIdToken: boolean
  readonly tokens: ProviderTokens
}

export type Claims = Readonly<Record<string, unknown>>

export interface LogoutNotice {
  readonly issuer: string
  readonly subject: string | undefined
  readonly providerSession: string | undefined
  readonly at: number
}

/**
 * `away`: no answer, or an error of its server. `cancelled`: it says that the user does not want to, or may not. `ended`: it
 * does not know the grant any more. `misconfigured`: it refuses this service, whoever the user is. `invalid`: an answer that must
 * not be trusted.
 */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure'

  constructor(
    readonly reason: 'away' | 'cancelled' | 'ended' | 'misconfigured' | 'invalid',
    /** For the operator; without secrets. */
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** Whether somebody whose address the provider has verified is the user who has confirmed it here. */
export function linksByAddress({ link }: ProviderSettings): boolean {
  return link === 'verified-email'
}

/** Registered with the provider, so it comes from the base URL and never from a request. */
export function callbackUrl(baseUrl: string, id: string): string {
  return `${baseUrl}/account/sign-in/with/${id}/callback`
}

export function backChannelUrl(baseUrl: string, id: string): string {
  return `${baseUrl}/account/sign-in/with/${id}/logout`
}

/** Also the base URL that is configured at the provider. */
export function scimUrl(baseUrl: string): string {
  return `${baseUrl}/scim/v2`
}

/** Where the provider sends browsers after it has ended its own session. */
export function signedOutUrl(baseUrl: string): string {
  return `${baseUrl}/account/signed-out`
}

/** What people call an issuer; of one that is no longer configured, its host. */
export function nameOfIssuer(providers: readonly Pick<IdentityProvider, 'settings'>[], issuer: string): string {
  const known = providers.find(({ settings }) => isSameIssuer(settings.issuer, issuer))
  return known?.settings.name ?? (URL.canParse(issuer) ? new URL(issuer).host : issuer)
}

export function isSameIssuer(one: string, other: string): boolean {
  return plainIssuer(one) === plainIssuer(other)
}

/** Operators leave out a slash at the end, or add one, or configure the URL of the discovery document. */
export function plainIssuer(issuer: string): string {
  return issuer.replace(/\/\.well-known\/openid-configuration$/, '').replace(/\/+$/, '')
}
