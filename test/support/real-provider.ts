/** An identity provider by others: oidc-provider, which is certified. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import type { Config } from '../../src/config/config.js'
import { freePort } from './free-port.js'

export interface RealProvider {
  readonly issuer: string
  /** Groups by login; whoever is not in it has none. */
  readonly groups: Map<string, readonly string[]>
  /** Set it to have it hang up on the service; browsers still get their pages. */
  isAway: boolean
  /** Of the service, which is to start with them. */
  readonly config: Partial<Config> & { readonly baseUrl: string }
  /** What went wrong when it told the service of sign-outs. */
  readonly problems: string[]
  close(): Promise<void>
}

export async function startRealProvider(): Promise<RealProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const groups = new Map<string, readonly string[]>()
  const problems: string[] = []
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'shortlink',
        client_secret: 'a-secret',
        redirect_uris: [`${baseUrl}/account/sign-in/with/oidc/callback`],
        post_logout_redirect_uris: [`${baseUrl}/account/signed-out`],
        backchannel_logout_uri: `${baseUrl}/account/sign-in/with/oidc/logout`,
        backchannel_logout_session_required: true,
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    claims: { openid: ['sub'], profile: ['name', 'preferred_username', 'groups'], email: ['email', 'email_verified'] },
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    features: { devInteractions: { enabled: true }, backchannelLogout: { enabled: true } },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, name: nameOf(sub), preferred_username: sub, groups: groups.get(sub) ?? [] }),
    }),
    cookies: { keys: ['a key'] },
    // Its own guard refuses addresses of this machine.
    fetch: (url: string, options: RequestInit) =>
      fetch(url, { method: 'POST', headers: options.headers ?? {}, body: options.body ?? null, redirect: 'manual' }),
  })
  provider.on('backchannel.error', (_context, error) => problems.push(String(error)))
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (real.isAway && request.url?.startsWith('/token')) request.socket.destroy()
    else answer(request, response)
  })
  const real: RealProvider = {
    issuer,
    groups,
    isAway: false,
    config: { port, baseUrl, oidcIssuer: issuer, oidcClientId: 'shortlink', oidcClientSecret: 'a-secret' },
    problems,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return real
}

/** `ada` is Ada Lovelace. */
function nameOf(login: string): string {
  return `${login.slice(0, 1).toUpperCase()}${login.slice(1)} Lovelace`
}
