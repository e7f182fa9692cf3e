import type { LookupAddress, LookupAllOptions } from 'node:dns'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writeWithoutEnd } from '../../../test/support/write-without-end.js'
import { makeAuthority, makeServerCertificate } from '../../lib/certificate.js'
import { GuardedClient, type GuardedClientOptions, type OutgoingRequest } from './guarded-client.js'

describe('GuardedClient', () => {
  let answer: (request: ReadRequest, response: ServerResponse) => void
  let requests: ReadRequest[]
  let connections: Socket[]
  let port: number
  let client: GuardedClient
  const server = createServer(async (request: ReadRequest, response) => {
    requests.push(request)
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    request.text = Buffer.concat(chunks).toString()
    answer(request, response)
  }).on('connection', (socket) => connections.push(socket))
  beforeEach(async () => {
    requests = []
    connections = []
    client = new GuardedClient({ allow: ['127.0.0.1'] })
    port = await listening(server)
  })
  afterEach(async () => {
    client.close()
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })

  const local = (path = '/') => `http://127.0.0.1:${port}${path}`
  const send = (input: Partial<OutgoingRequest> = {}, using = client) =>
    using.request({ url: local(), timeoutMs: 5_000, maxBodyBytes: 1_000, ...input })
  const reasonOf = (input: Partial<OutgoingRequest> = {}, using = client) =>
    send(input, using).then(
      ({ status }) => status,
      (error: { reason?: string }) => error.reason ?? error,
    )
  const text = (body: string, status = 200) => {
    answer = (_, response) => response.writeHead(status).end(body)
  }
  const redirectTo = (location: string, status = 302) => {
    answer = (_, response) => response.writeHead(status, { location }).end()
  }
  const resolving = (addressesOf: (name: string) => readonly string[], options: GuardedClientOptions = {}) =>
    new GuardedClient({ allow: ['127.0.0.1'], lookup: lookupWith(addressesOf), ...options })

  it('sends method, headers and body, and returns any status', async () => {
    answer = (_, response) => response.writeHead(503, { 'retry-after': '7' }).end('busy')
    const { status, headers, body } = await send({ method: 'POST', headers: { 'x-a': 'b' }, body: 'hello' })
    expect([status, headers['retry-after'], String(body)]).toEqual([503, '7', 'busy'])
    const [request] = requests
    expect([request?.method, request?.headers['x-a'], request?.headers['content-length'], request?.text]).toEqual([
      'POST',
      'b',
      '5',
      'hello',
    ])
  })

  it('uses a connection again, also after errors of the server', async () => {
    for (const status of [200, 500, 204, 200]) {
      text(status === 204 ? '' : 'x', status)
      await send({ method: 'POST', body: '{}' })
    }
    expect([requests.length, connections.length]).toEqual([4, 1])
  })

  it('sends again on a new connection when the server has closed the pooled one', async () => {
    text('x')
    await send()
    answer = (request, response) => {
      // As a server whose idle timeout ends when the next request arrives: no answer on the old connection.
      if (request.socket === connections[0]) request.socket.destroy()
      else response.end('again')
    }
    expect(String((await send({ method: 'POST', body: 'once' })).body)).toBe('again')
    expect(connections).toHaveLength(2)
  })

  it.each([
    ['another address', () => `http://127.0.0.2:${port}/`],
    ['loopback in IPv6', () => `http://[::1]:${port}/`],
    ['mapped IPv4', () => `http://[::ffff:10.0.0.1]:${port}/`],
    ['NAT64', () => `http://[64:ff9b::10.0.0.1]:${port}/`],
    ['6to4', () => `http://[2002:7f00:1::1]:${port}/`],
    ['a private network', () => 'http://192.168.1.1/'],
    ['the metadata of a cloud', () => 'http://169.254.169.254/latest/meta-data/'],
    ['an address written as a number', () => 'http://2130706434/'],
    ['a file', () => 'file:///etc/passwd'],
    ['a script', () => 'javascript:alert(1)'],
    ['a name and password', () => `http://user:password@127.0.0.1:${port}/`],
    ['no URL', () => 'http://['],
  ])('refuses %s, at first and after a redirect', async (_, url) => {
    expect(await reasonOf({ url: url() })).toBe('forbidden_address')
    if (!URL.canParse(url())) return
    redirectTo(url())
    expect(await reasonOf({ maxRedirects: 3 })).toBe('forbidden_address')
    expect(requests).toHaveLength(1)
  })

  it('permits nothing but public addresses by default', async () => {
    const byDefault = new GuardedClient()
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '10.0.0.1', '0']) {
      expect([host, await reasonOf({ url: `http://${host}:${port}/` }, byDefault)]).toEqual([host, 'forbidden_address'])
    }
    expect(requests).toHaveLength(0)
  })

  it('resolves a name once and connects to the address that was checked', async () => {
    text('checked')
    const names: string[] = []
    const rebinding = resolving((name) => {
      names.push(name)
      // A name server that tries to lead elsewhere the second time.
      return names.length === 1 ? ['127.0.0.1'] : ['127.0.0.3']
    })
    expect(String((await send({ url: `http://rebind.example:${port}/` }, rebinding)).body)).toBe('checked')
    expect(names).toEqual(['rebind.example'])
    expect(requests[0]?.headers.host).toBe(`rebind.example:${port}`)
    // The pooled connection leads to the checked address; a new one is refused.
    expect(await reasonOf({ url: `http://rebind.example:${port}/` }, rebinding)).toBe(200)
    rebinding.close()
    expect(await reasonOf({ url: `http://rebind.example:${port}/` }, rebinding)).toBe('forbidden_address')
  })

  it('checks the name again at each redirect', async () => {
    redirectTo(`http://second.example:${port}/`)
    const names = resolving((name) => (name === 'first.example' ? ['127.0.0.1'] : ['127.0.0.9']))
    const url = `http://first.example:${port}/`
    expect(await reasonOf({ url, maxRedirects: 3 }, names)).toBe('forbidden_address')
    expect(requests).toHaveLength(1)
  })

  it('refuses a name with one bad address among good ones', async () => {
    const both = resolving(() => ['127.0.0.1', '127.0.0.9'])
    expect(await reasonOf({ url: `http://both.example:${port}/` }, both)).toBe('forbidden_address')
    expect(requests).toHaveLength(0)
  })

  it('tells names that do not exist from servers that do not answer', async () => {
    const none = resolving(() => [])
    expect(await reasonOf({ url: 'http://nowhere.example/' }, none)).toBe('dns')
    answer = (_, response) => response.destroy()
    expect(await reasonOf()).toBe('connect')
    answer = (_, response) => response.socket?.end('hello\r\n\r\n')
    expect(await reasonOf()).toBe('connect')
    answer = (_, response) =>
      response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
    expect(await reasonOf()).toBe('connect')
  })

  it('follows at most three redirects, whatever it is asked for', async () => {
    answer = (request, response) => {
      const left = Number(request.url?.slice(1))
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end()
      else response.end()
    }
    expect(await reasonOf({ url: local('/3'), maxRedirects: 3 })).toBe(200)
    expect(await reasonOf({ url: local('/4'), maxRedirects: 10 })).toBe('too_many_redirects')
    expect(await reasonOf({ url: local('/2'), maxRedirects: 1 })).toBe('too_many_redirects')
    expect(await reasonOf({ url: local('/1') })).toBe(302)
  })

  it.each([307, 308])('repeats a POST with its body on %i', async (status) => {
    answer = (request, response) => {
      if (request.url === '/') response.writeHead(status, { location: '/next' }).end()
      else response.end(request.text)
    }
    const { body } = await send({ method: 'POST', body: 'whole', maxRedirects: 3 })
    expect([String(body), requests.map(({ method }) => method)]).toEqual(['whole', ['POST', 'POST']])
  })

  it.each([301, 302, 303])('does not turn a POST into a GET on %i', async (status) => {
    redirectTo('/next', status)
    expect(await reasonOf({ method: 'POST', body: 'x', maxRedirects: 3 })).toBe(status)
    expect(requests).toHaveLength(1)
  })

  it('sends credentials only to the host they were meant for', async () => {
    answer = (request, response) => {
      if (request.url === '/away') response.writeHead(307, { location: `http://other.example:${port}/there` }).end()
      else response.end()
    }
    const names = resolving(() => ['127.0.0.1'])
    const headers = { Authorization: 'Bearer secret', 'x-kept': 'yes' }
    await send({ url: `http://first.example:${port}/away`, headers, maxRedirects: 3 }, names)
    expect(requests.map(({ headers }) => [headers.authorization, headers['x-kept']])).toEqual([
      ['Bearer secret', 'yes'],
      [undefined, 'yes'],
    ])
    names.close()
  })

  it('reads no more than it was told', async () => {
    text('x'.repeat(1_000))
    expect((await send()).body).toHaveLength(1_000)
    text('x'.repeat(1_001))
    expect(await reasonOf()).toBe('too_large')
    expect((await send({ truncate: true })).body).toHaveLength(1_000)
  })

  it('ends a response without end', async () => {
    let sent = () => 0
    answer = (_, response) => {
      sent = writeWithoutEnd(response)
    }
    expect(await reasonOf()).toBe('too_large')
    // Beside what was read: what fits into the buffers of two sockets.
    expect(sent()).toBeLessThan(16 * 1024 * 1024)
  })

  it.each([
    ['says nothing', () => {}],
    ['never ends', (response: ServerResponse) => response.writeHead(200).write('a')],
    ['redirects slowly', (response: ServerResponse) => setTimeout(() => redirect(response), 60)],
  ])('gives up on a server that %s', async (_, begin) => {
    answer = (_request, response) => begin(response)
    expect(await reasonOf({ timeoutMs: 100, maxRedirects: 3 })).toBe('timeout')
  })

  it('gives up on a name server that does not answer', async () => {
    const silent = new GuardedClient({ lookup: (() => {}) as unknown as NonNullable<GuardedClientOptions['lookup']> })
    expect(await reasonOf({ url: 'http://slow.example/', timeoutMs: 50 }, silent)).toBe('timeout')
  })

  it('stops when the caller aborts', async () => {
    const stop = new AbortController()
    answer = () => stop.abort(new Error('stopped'))
    await expect(send({ signal: stop.signal })).rejects.toThrow('stopped')
    await expect(send({ signal: stop.signal })).rejects.toThrow('stopped')
    expect(requests).toHaveLength(1)
  })

  function redirect(response: ServerResponse): void {
    response.writeHead(302, { location: '/again' }).end()
  }
})

describe('GuardedClient over TLS', () => {
  let server: Server
  let port: number
  let authority: string
  const names: (string | undefined)[] = []
  beforeAll(async () => {
    const validity = { from: new Date(Date.now() - 86_400_000), days: 10 }
    const root = makeAuthority('test authority', validity)
    const { certificate, key } = makeServerCertificate(root, ['right.example'], validity)
    authority = root.certificate
    server = createTlsServer({ cert: certificate, key }, (request, response) => {
      names.push(request.headers.host)
      response.end('secure')
    })
    port = await listening(server)
  })
  afterAll(() => server.close())

  const ask = (host: string, ca?: string) => {
    const client = new GuardedClient({
      allow: ['127.0.0.1'],
      lookup: lookupWith(() => ['127.0.0.1']),
      ...(ca !== undefined && { ca }),
    })
    return client
      .request({ url: `https://${host}:${port}/`, timeoutMs: 5_000, maxBodyBytes: 100 })
      .then(
        ({ body }) => String(body),
        (error: { reason?: string }) => error.reason ?? error,
      )
      .finally(() => client.close())
  }

  it('connects to the checked address, and checks the certificate against the name', async () => {
    expect(await ask('right.example', authority)).toBe('secure')
  })

  it('refuses a certificate for another name, before anything is sent', async () => {
    names.length = 0
    expect(await ask('wrong.example', authority)).toBe('tls')
    expect(names).toEqual([])
  })

  it('refuses an authority it does not know', async () => {
    expect(await ask('right.example')).toBe('tls')
  })
})

interface ReadRequest extends IncomingMessage {
  text?: string
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

/** A name server of our own, in the form of `dns.lookup`. */
function lookupWith(addressesOf: (name: string) => readonly string[]): NonNullable<GuardedClientOptions['lookup']> {
  const lookup = (
    name: string,
    _options: LookupAllOptions,
    callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
  ) => {
    const addresses = addressesOf(name).map((address) => ({ address, family: 4 }))
    const missing = Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' })
    callback(addresses.length === 0 ? missing : null, addresses)
  }
  return lookup as NonNullable<GuardedClientOptions['lookup']>
}
