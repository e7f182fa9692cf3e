/**
 * An OpenID Connect provider over HTTP, with openid-client, which checks signatures, issuer, audience, nonce, state and PKCE.
 * Here are discovery and its cache, and what failures mean. It knows nothing about users.
 */
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose'
import * as openid from 'openid-client'
import type { ProviderTokens } from '../../core/accounts/identity-store.js'
import { groupsOf, needsGroups } from '../../core/identity-providers/access.js'
import {
  type Claims,
  type LogoutNotice,
  type ProviderAnswer,
  type ProviderClient,
  ProviderFailure,
  type ProviderSettings,
} from '../../core/identity-providers/provider.js'
import { atMostEvery } from '../../lib/at-most-every.js'
import { type Discovered, discover, discoveryUrl } from './discovery.js'
import { asFailure } from './failures.js'

export interface OpenidOptions {
  /** Seconds for each request. */
  readonly timeout?: number
  /** Milliseconds after which the discovery document is read again. */
  readonly refreshAfter?: number
  readonly now?: () => number
}

/** Clocks of servers differ; docs/sso.md#checks names this. */
const clockTolerance = 60
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

export function openidProvider(settings: ProviderSettings, options: OpenidOptions = {}): ProviderClient {
  const { timeout = 5, refreshAfter = 3_600_000, now = () => performance.now() } = options
  const connect = async (): Promise<Connection> =>
    connectionTo(await discover(settings.issuer, timeout), settings, timeout)
  // One attempt for all who wait, also when it fails.
  const attempt = atMostEvery(2_000, connect, now)
  let last: { readonly connection: Connection; readonly at: number } | undefined

  async function connection(): Promise<Connection> {
    if (last && now() - last.at < refreshAfter) return last.connection
    try {
      last = { connection: await attempt(), at: now() }
    } catch (error) {
      if (!last) throw error
      // What was discovered before usually still holds; ask again in a minute.
      last = { ...last, at: now() - refreshAfter + 60_000 }
    }
    return last.connection
  }

  const guarded = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    try {
      return await work(await connection())
    } catch (error) {
      throw asFailure(error, `${settings.name} (${discoveryUrl(settings.issuer)})`)
    }
  }

  return {
    issuer: () => guarded(async ({ config }) => config.serverMetadata().issuer),

    authorizationUrl: ({ redirectUri, state, nonce, verifier }) =>
      guarded(async ({ config }) => {
        const challenge = await openid.calculatePKCECodeChallenge(verifier)
        return openid.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: settings.scopes,
          state,
          nonce,
          code_challenge: challenge,
          code_challenge_method: 'S256',
        }).href
      }),

    redeem: (parameters, { redirectUri, state, nonce, verifier }) =>
      guarded(async ({ config }) => {
        const callback = new URL(`${redirectUri}?${parameters}`)
        const tokens = await openid.authorizationCodeGrant(config, callback, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        })
        return answerFrom(config, tokens, undefined)
      }),

    refresh: (refreshToken, subject, keep) =>
      guarded(async ({ config }) => {
        const tokens = await openid.refreshTokenGrant(config, refreshToken)
        await keep(tokensFrom(tokens))
        return answerFrom(config, tokens, subject)
      }),

    endSessionUrl: (idToken, returnTo) =>
      guarded(async ({ config }) => {
        if (config.serverMetadata().end_session_endpoint === undefined) return undefined
        const hint = idToken === undefined ? undefined : { id_token_hint: idToken }
        return openid.buildEndSessionUrl(config, { post_logout_redirect_uri: returnTo, ...hint }).href
      }),

    readLogoutToken: (token) =>
      guarded(async ({ config, keys }) => {
        const { issuer } = config.serverMetadata()
        const { payload } = await jwtVerify(token, keys, {
          issuer,
          audience: settings.clientId,
          clockTolerance,
          maxTokenAge: '10m',
          requiredClaims: ['iat', 'jti', 'events'],
        })
        return noticeFrom(payload, issuer)
      }),
  }

  async function answerFrom(
    config: openid.Configuration,
    tokens: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers,
    expectedSubject: string | undefined,
  ): Promise<ProviderAnswer> {
    const idClaims = tokens.claims()
    const subject = expectedSubject ?? idClaims?.sub
    if (subject === undefined) throw new ProviderFailure('invalid', 'the answer has no ID token')
    if (idClaims && idClaims.sub !== subject) {
      throw new ProviderFailure('invalid', 'the refreshed ID token is that of somebody else')
    }
    const isMissing = !idClaims || lacks(idClaims, settings)
    const hasUserInfo = config.serverMetadata().userinfo_endpoint !== undefined
    const userInfo = isMissing && hasUserInfo ? await openid.fetchUserInfo(config, tokens.access_token, subject) : {}
    return {
      issuer: config.serverMetadata().issuer,
      subject,
      providerSession: typeof idClaims?.sid === 'string' ? idClaims.sid : undefined,
      claims: merged(userInfo, idClaims ?? {}),
      hasIdToken: idClaims !== undefined,
      tokens: tokensFrom(tokens),
    }
  }
}

function tokensFrom({ refresh_token: refreshToken, id_token: idToken }: openid.TokenEndpointResponse): ProviderTokens {
  return { refreshToken, idToken }
}

interface Connection {
  readonly config: openid.Configuration
  readonly keys: ReturnType<typeof createRemoteJWKSet>
}

function connectionTo({ metadata, isInsecure }: Discovered, settings: ProviderSettings, timeout: number): Connection {
  const { clientId, clientSecret } = settings
  const client = { [openid.clockTolerance]: clockTolerance }
  const config = new openid.Configuration(metadata, clientId, client, authentication(clientSecret, metadata))
  config.timeout = timeout
  if (isInsecure) openid.allowInsecureRequests(config)
  // Without this, openid-client trusts the connection instead of the signature of the ID token.
  openid.enableNonRepudiationChecks(config)
  if (metadata.jwks_uri === undefined) throw new ProviderFailure('invalid', 'the discovery document has no jwks_uri')
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), {
    timeoutDuration: timeout * 1000,
    [customFetch]: (url, init) => fetch(url, init),
  })
  return { config, keys }
}

/** As the provider accepts it; what it leaves out means Basic (OpenID Connect Discovery, 3). */
function authentication(secret: string | undefined, metadata: openid.ServerMetadata): openid.ClientAuth {
  if (secret === undefined) return openid.None()
  const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = metadata
  return methods.includes('client_secret_post') ? openid.ClientSecretPost(secret) : openid.ClientSecretBasic(secret)
}

/** Whether to ask the userinfo endpoint: some providers put groups, or everything, only there. */
function lacks(claims: Claims, settings: ProviderSettings): boolean {
  const groups = groupsOf(claims, settings)
  const lacksGroups = needsGroups(settings) && groups.length === 0
  return lacksGroups || claims[settings.loginClaim] === undefined || claims.email === undefined
}

/** The ID token wins. Whether an address is verified counts only for the address that it was said of. */
function merged(userInfo: Claims, idClaims: Claims): Claims {
  const isOtherAddress = idClaims.email !== undefined && idClaims.email !== userInfo.email
  const { email_verified: isVerified, ...rest } = userInfo
  return { ...rest, ...(!isOtherAddress && isVerified !== undefined && { email_verified: isVerified }), ...idClaims }
}

function noticeFrom(payload: JWTPayload, issuer: string): LogoutNotice {
  const { sub: subject, sid, events, nonce, iat = 0 } = payload
  const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, logoutEvent)
  // An ID token must not pass for one.
  if (!isLogout || nonce !== undefined) throw new errors.JWTInvalid('it is not a logout token')
  const providerSession = typeof sid === 'string' ? sid : undefined
  if (subject === undefined && providerSession === undefined) throw new errors.JWTInvalid('it names nobody')
  // A second is the unit of the provider; its clock may be ahead or behind.
  return { issuer, subject, providerSession, at: iat * 1000 + 999 }
}
