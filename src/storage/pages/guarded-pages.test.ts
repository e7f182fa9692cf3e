import type { LookupAddress, LookupAllOptions } from 'node:dns'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { guardedPages, isPublic, type PageLimits, type PageOptions, publicWeb } from './guarded-pages.js'

const home = 'https://sho.rt'
const running = new AbortController().signal

describe('guardedPages', () => {
  let answer: (request: IncomingMessage, response: ServerResponse) => void
  let requests: IncomingMessage[]
  let port: number
  const server = createServer((request, response) => {
    requests.push(request)
    answer(request, response)
  })
  beforeEach(async () => {
    requests = []
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    port = (server.address() as AddressInfo).port
  })
  afterEach(async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })

  const local = (path = '/') => `http://127.0.0.1:${port}${path}`
  const allowLocal = (limits: Partial<PageLimits> = {}) =>
    guardedPages({ home, limits, guard: (address, asked) => address === '127.0.0.1' && asked === port })
  const html = (text: string, headers = {}) => {
    answer = (_, response) => response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(text)
  }
  const redirectTo = (location: string, status = 302) => {
    answer = (_, response) => response.writeHead(status, { location }).end()
  }
  const switchProtocols = () => {
    const offer = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'
    answer = (_, response) => response.socket?.write(offer)
  }

  it('reads the title and says who is asking', async () => {
    html('<title>Caf&eacute;</title>')
    expect(await allowLocal().title(local('/a?b=1'), running)).toEqual({ title: 'Café' })
    expect(requests[0]?.url).toBe('/a?b=1')
    expect(requests[0]?.headers['user-agent']).toContain('+https://sho.rt')
  })

  it.each([301, 302, 303, 307, 308])('follows %i', async (status) => {
    answer = (request, response) => {
      if (request.url === '/') response.writeHead(status, { location: '/next' }).end()
      else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<title>next</title>')
    }
    expect(await allowLocal().title(local(), running)).toEqual({ title: 'next' })
  })

  it('follows five redirects and not a sixth', async () => {
    answer = (request, response) => {
      const left = Number(request.url?.slice(1))
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end()
      else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>there</title>')
    }
    expect(await allowLocal().title(local('/5'), running)).toEqual({ title: 'there' })
    expect(await allowLocal().title(local('/6'), running)).toEqual({ none: 'unsuitable' })
  })

  it.each([
    ['another port', () => `http://127.0.0.1:${port + 1}/`],
    ['another address', () => `http://127.0.0.2:${port}/`],
    ['loopback in IPv6', () => `http://[::1]:${port}/`],
    ['mapped loopback', () => `http://[::ffff:127.0.0.1]:${port}/`],
    ['a name that leads to loopback', () => `http://localhost:${port + 1}/`],
    ['a file', () => 'file:///etc/passwd'],
    ['a script', () => 'javascript:alert(1)'],
    ['a name and password', () => `http://user:password@127.0.0.1:${port}/`],
  ])('refuses %s, at first and after a redirect', async (_, url) => {
    expect(await allowLocal().title(url(), running)).toEqual({ none: 'refused' })
    redirectTo(url())
    expect(await allowLocal().title(local(), running)).toEqual({ none: 'refused' })
    expect(requests).toHaveLength(1)
  })

  it.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0/',
  ])('reaches nothing on this machine or its network by default: %s', async (url) => {
    expect(await guardedPages({ home }).title(url, running)).toEqual({ none: 'refused' })
  })

  it('connects to the address that was checked, and asks for it once', async () => {
    html('<title>checked</title>')
    const names: string[] = []
    const lookup = lookupWith((name) => {
      names.push(name)
      // A name server that tries to lead elsewhere the second time.
      return names.length === 1 ? ['127.0.0.1'] : ['127.0.0.3']
    })
    const pages = guardedPages({ home, lookup, guard: (address) => address === '127.0.0.1' })
    expect(await pages.title(`http://rebind.example:${port}/`, running)).toEqual({ title: 'checked' })
    expect(names).toEqual(['rebind.example'])
    expect(requests[0]?.headers.host).toBe(`rebind.example:${port}`)
  })

  it('checks the name again at each redirect', async () => {
    redirectTo(`http://second.example:${port}/`)
    const lookup = lookupWith((name) => (name === 'first.example' ? ['127.0.0.1'] : ['127.0.0.9']))
    const pages = guardedPages({ home, lookup, guard: (address) => address === '127.0.0.1' })
    expect(await pages.title(`http://first.example:${port}/`, running)).toEqual({ none: 'refused' })
    expect(requests).toHaveLength(1)
  })

  it('refuses a name with one bad address among good ones', async () => {
    const lookup = lookupWith(() => ['127.0.0.1', '127.0.0.9'])
    const pages = guardedPages({ home, lookup, guard: (address) => address === '127.0.0.1' })
    expect(await pages.title(`http://both.example:${port}/`, running)).toEqual({ none: 'refused' })
    expect(requests).toHaveLength(0)
  })

  it.each([
    ['text', () => html('<title>a</title>', { 'content-type': 'text/plain' })],
    ['XML', () => html('<title>a</title>', { 'content-type': 'application/xml' })],
    ['what only begins like HTML', () => html('<title>a</title>', { 'content-type': 'text/html5' })],
    ['compressed pages, which it did not ask for', () => html('x', { 'content-encoding': 'gzip' })],
    ['pages without a title', () => html('<p>hello')],
    ['a redirect to nowhere', () => redirectTo('http://[')],
    ['an offer to speak something else than HTTP', switchProtocols],
  ])('takes no title from %s', async (_, prepare) => {
    prepare()
    expect(await allowLocal().title(local(), running)).toEqual({ none: 'unsuitable' })
  })

  it('takes no title from an error', async () => {
    answer = (_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<title>Not found</title>')
    expect(await allowLocal().title(local(), running)).toEqual({ none: 'unsuitable' })
  })

  it('reads no further than 512 KiB of a page without end', async () => {
    let sent = 0
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      const more = () => {
        while (!response.destroyed) {
          sent += 65_536
          if (!response.write(' '.repeat(65_536))) return response.once('drain', more)
        }
        return undefined
      }
      more()
    }
    expect(await allowLocal().title(local(), running)).toEqual({ none: 'unsuitable' })
    // Beside what was read: what fits into the buffers of two sockets.
    expect(sent).toBeLessThan(16 * 1024 * 1024)
  })

  it('finds a title that ends within the limit, and none that ends behind it', async () => {
    const before = (size: number) => html(`${' '.repeat(size)}<title>far</title>`)
    before(400 * 1024)
    expect(await allowLocal().title(local(), running)).toEqual({ title: 'far' })
    before(512 * 1024)
    expect(await allowLocal().title(local(), running)).toEqual({ none: 'unsuitable' })
  })

  it('stops reading once it has the title, though the page goes on', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).write('<title>early</title>')
    expect(await allowLocal().title(local(), running)).toEqual({ title: 'early' })
  })

  it('notices the end of a title that comes in pieces', async () => {
    answer = async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      for (const piece of '<title>letter by letter</title>') {
        response.write(piece)
        await nextTurn()
      }
    }
    expect(await allowLocal().title(local(), running)).toEqual({ title: 'letter by letter' })
  })

  it.each([
    ['says nothing', () => {}],
    [
      'never ends',
      (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/html' }).write('<html>'),
    ],
  ])('gives up on a page that %s', async (_, begin) => {
    answer = (_request, response) => begin(response)
    expect(await allowLocal({ milliseconds: 100 }).title(local(), running)).toEqual({ none: 'failed' })
  })

  it('counts redirects into the same time', async () => {
    answer = (_, response) => setTimeout(() => response.writeHead(302, { location: '/again' }).end(), 60)
    expect(await allowLocal({ milliseconds: 150 }).title(local(), running)).toEqual({ none: 'failed' })
  })

  it.each([
    ['a connection that breaks', (response: ServerResponse) => response.destroy()],
    ['an answer that is not HTTP', (response: ServerResponse) => response.socket?.end('hello\r\n\r\n')],
  ])('fails quietly on %s', async (_, begin) => {
    answer = (_request, response) => begin(response)
    expect(await allowLocal().title(local(), running)).toEqual({ none: 'failed' })
  })

  it('fails quietly when a name does not exist', async () => {
    const lookup = lookupWith(() => [])
    const pages = guardedPages({ home, lookup, guard: () => true })
    expect(await pages.title('http://nowhere.example/', running)).toEqual({ none: 'failed' })
  })

  it('stops at once when told to', async () => {
    answer = () => {}
    const stop = new AbortController()
    const fetching = allowLocal().title(local(), stop.signal)
    stop.abort()
    await expect(fetching).rejects.toThrow()
  })
})

/** A name server of our own, in the form of `dns.lookup`. */
function lookupWith(addressesOf: (name: string) => readonly string[]): NonNullable<PageOptions['lookup']> {
  const lookup = (
    name: string,
    _options: LookupAllOptions,
    callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
  ) => {
    const addresses = addressesOf(name).map((address) => ({ address, family: 4 }))
    const missing = Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' })
    callback(addresses.length === 0 ? missing : null, addresses)
  }
  return lookup as NonNullable<PageOptions['lookup']>
}

const refused: readonly (readonly [string, readonly string[]])[] = [
  ['this network', ['0.0.0.0', '0.255.255.255']],
  ['private', ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255']],
  ['shared by carriers', ['100.64.0.1', '100.127.255.255']],
  ['loopback', ['127.0.0.1', '127.255.255.254', '::1']],
  ['link-local', ['169.254.169.254', '169.254.0.1', 'fe80::1', 'febf::1', 'fe80::1%eth0']],
  ['protocol assignments', ['192.0.0.1', '192.0.0.170', '2001::1', '2001:1::1', '2001:1ff::1']],
  ['documentation', ['192.0.2.1', '198.51.100.7', '203.0.113.9', '2001:db8::1', '3fff::1', '3fff:fff::1']],
  ['benchmarks', ['198.18.0.1', '198.19.255.255']],
  ['multicast', ['224.0.0.1', '239.255.255.255', 'ff02::1']],
  ['reserved and broadcast', ['240.0.0.1', '255.255.255.255']],
  ['unspecified', ['::']],
  ['unique local', ['fc00::1', 'fdff::1']],
  ['site-local', ['fec0::1']],
  ['mapped IPv4', ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::127.0.0.1']],
  ['NAT64', ['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1']],
  ['6to4 and its relays', ['2002:7f00:1::1', '192.88.99.1']],
  ['discard', ['100::1']],
  ['no address at all', ['', 'localhost', '127.1', '0x7f.0.0.1', '8.8.8.8 ', '1.2.3.4:80', '[2606:4700::1111]']],
]

const allowed = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450:4001::200e',
  '2001:200::1',
  '2001:4860:4860::8888',
]

describe('isPublic', () => {
  it.each(refused)('refuses %s', (_, addresses) => {
    for (const address of addresses) expect([address, isPublic(address)]).toEqual([address, false])
  })

  it.each(allowed)('allows %s', (address) => {
    expect(isPublic(address)).toBe(true)
  })
})

describe('publicWeb', () => {
  it.each([
    [80, true],
    [443, true],
    [8080, false],
    [22, false],
    [6379, false],
    [0, false],
  ])('port %i: %s', (port, verdict) => {
    expect(publicWeb('1.1.1.1', port)).toBe(verdict)
    expect(publicWeb('127.0.0.1', port)).toBe(false)
  })
})
