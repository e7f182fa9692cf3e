/**
 * An OpenID Connect provider that signs in whoever it is told to, without asking, and that can be made to misbehave. Real
 * providers cannot: test/sign-in/providers-real.test.ts has one.
 */
import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

export interface TestProvider {
  /** Without a slash at the end. */
  readonly url: string
  /** What it says next, and to whom; tests change it. */
  person: Person
  misbehaves: Misbehaviour
  /** Forms that came to the token endpoint. */
  readonly tokenRequests: URLSearchParams[]
  logoutToken(claims?: JWTPayload): Promise<string>
  close(): Promise<void>
}

interface Person {
  readonly sub: string
  readonly claims?: JWTPayload
  /** Only these are at the userinfo endpoint. */
  readonly userInfo?: JWTPayload
  /** Sent to the callback instead of a code. */
  readonly error?: string
  /** It no longer knows refresh tokens. */
  readonly isRemoved?: boolean
}

interface Misbehaviour {
  /** Of the token endpoint, always. */
  readonly tokenAnswer?: { readonly status: number; readonly headers: Record<string, string>; readonly body: unknown }
  /** Over those of the discovery document. */
  readonly discovery?: Record<string, unknown>
  /** Over those of the ID token. */
  readonly idToken?: JWTPayload
  /** In the callback. */
  readonly issuerInAnswer?: string
  readonly withoutIssuerInAnswer?: boolean
  /** Status of every answer. */
  readonly status?: number
  readonly userInfoStatus?: number
  readonly withoutRefreshToken?: boolean
  /** The ID token is signed with a key that is not among its own. */
  readonly withForeignKey?: boolean
}

export async function startIdentityProvider(issuerPath = ''): Promise<TestProvider> {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const foreign = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', use: 'sig', alg: 'RS256' }
  const codes = new Map<string, URLSearchParams>()
  const tokenRequests: URLSearchParams[] = []
  const replaced = new Set<string>()
  let issuer = ''

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(500).end(String(error)))
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { misbehaves, person } = provider
    const url = new URL(request.url ?? '', issuer)
    const json = (body: unknown, status = 200) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (misbehaves.status) return json({ error: 'server_error' }, misbehaves.status)
    if (url.pathname.endsWith('/.well-known/openid-configuration')) {
      return json({
        issuer,
        authorization_endpoint: `${provider.url}/authorize`,
        token_endpoint: `${provider.url}/token`,
        userinfo_endpoint: `${provider.url}/userinfo`,
        jwks_uri: `${provider.url}/jwks`,
        end_session_endpoint: `${provider.url}/logout`,
        id_token_signing_alg_values_supported: ['RS256'],
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
        authorization_response_iss_parameter_supported: true,
        ...misbehaves.discovery,
      })
    }
    if (url.pathname === '/jwks') return json({ keys: [jwk] })
    if (url.pathname === '/userinfo') return json({ sub: person.sub, ...person.userInfo }, misbehaves.userInfoStatus)
    if (url.pathname === '/authorize') {
      const code = randomUUID()
      codes.set(code, url.searchParams)
      const back = new URL(url.searchParams.get('redirect_uri') ?? '')
      if (person.error) back.searchParams.set('error', person.error)
      else back.searchParams.set('code', code)
      back.searchParams.set('state', url.searchParams.get('state') ?? '')
      if (!misbehaves.withoutIssuerInAnswer) back.searchParams.set('iss', misbehaves.issuerInAnswer ?? issuer)
      return void response.writeHead(302, { location: back.href }).end()
    }
    if (url.pathname === '/token') {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const form = new URLSearchParams(Buffer.concat(chunks).toString())
      tokenRequests.push(form)
      if (misbehaves.tokenAnswer) {
        const { status, headers, body } = misbehaves.tokenAnswer
        return void response
          .writeHead(status, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify(body))
      }
      const isRefresh = form.get('grant_type') === 'refresh_token'
      const begun = codes.get(form.get('code') ?? '')
      codes.delete(form.get('code') ?? '')
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      const refreshToken = form.get('refresh_token') ?? ''
      const isOurs = isRefresh
        ? !person.isRemoved && !replaced.has(refreshToken)
        : begun?.get('code_challenge') === challenge
      if (!isOurs) return json({ error: 'invalid_grant' }, 400)
      if (!misbehaves.withoutRefreshToken) replaced.add(refreshToken)
      const nonce = begun?.get('nonce')
      const claims = { ...person.claims, ...(nonce && { nonce }), sid: 'sid-1', ...misbehaves.idToken }
      const key = misbehaves.withForeignKey ? foreign.privateKey : privateKey
      return json({
        access_token: 'access',
        token_type: 'Bearer',
        expires_in: 300,
        id_token: await signed({ sub: person.sub, ...claims }, key),
        ...(!misbehaves.withoutRefreshToken && { refresh_token: randomUUID() }),
      })
    }
    return json({ error: 'not_found' }, 404)
  }

  function signed(claims: JWTPayload, key: CryptoKey): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const usual = { iss: issuer, aud: 'shortlink', iat: now, exp: now + 300 }
    return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(key)
  }

  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const provider: TestProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    person: { sub: 'nobody' },
    misbehaves: {},
    tokenRequests,
    logoutToken: (claims = {}) => {
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
      return signed({ events, jti: randomUUID(), ...claims }, privateKey)
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  issuer = provider.url + issuerPath
  return provider
}
