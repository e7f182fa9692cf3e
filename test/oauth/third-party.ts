import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ThirdParty {
  readonly url: string
  readonly redirectUri: string
  /** Set once the application is registered. */
  use(credentials: { clientId: string; clientSecret: string }): void
  close(): void
}

/**
 * A small third-party web application: `/` sends its visitor to the service, `/back` receives the response, exchanges
 * the code and greets the user by name.
 */
export async function startThirdParty(service: string): Promise<ThirdParty> {
  let client = { clientId: '', clientSecret: '' }
  const state = 'a state/with & "odd" characters ü'
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', base())
    if (url.pathname === '/') {
      const query = new URLSearchParams({ client_id: client.clientId, redirect_uri: `${base()}/back`, state })
      return response.writeHead(302, { location: `${service}/oauth/authorize?${query}` }).end()
    }
    // Like real applications: handle the response, then redirect to a URL without it.
    if (url.pathname === '/back') {
      const said = url.searchParams.get('state') === state ? await answerTo(url) : 'The state came back changed'
      return response.writeHead(302, { location: `/hello?${new URLSearchParams({ said })}` }).end()
    }
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' })
    return response.end(url.searchParams.get('said') ?? '')
  })
  const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function answerTo(url: URL): Promise<string> {
    if (url.searchParams.has('error')) return `No access: ${url.searchParams.get('error')}`
    const form = new URLSearchParams({
      client_id: client.clientId,
      client_secret: client.clientSecret,
      code: url.searchParams.get('code') ?? '',
      redirect_uri: `${base()}/back`,
    })
    const given = await fetch(`${service}/oauth/access_token`, { method: 'POST', body: form })
    const answer = new URLSearchParams(await given.text())
    const headers = { authorization: `Bearer ${answer.get('access_token')}` }
    const user = (await (await fetch(`${service}/v4/user`, { headers })).json()) as { login: string }
    return `Hello ${answer.get('login')}, known as ${user.login}`
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: base(),
    redirectUri: `${base()}/back`,
    use: (credentials) => {
      client = credentials
    },
    close: () => server.close().closeAllConnections(),
  }
}
