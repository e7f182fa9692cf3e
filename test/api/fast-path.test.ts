import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { brokenRequests, oneAtATime } from '../../src/edges/http/raw-requests.js'
import { FastPath } from '../../src/edges/redirect/fast-path.js'
import { type RedirectHandler, redirectHandler } from '../../src/edges/redirect/handler.js'
import type { LinkRequest, Send } from '../../src/edges/redirect/link-request.js'
import { type Chance, chanceFrom } from '../metrics/random.js'
import { rounds } from '../support/rounds.js'
import { type StartedApp, startApp } from '../support/start-app.js'

/** Another DOORS_SEED sends other requests. */
const doorRequests = 1000 * rounds
const doorSeed = Number(process.env.DOORS_SEED ?? 20_261_115)

/**
 * The same redirects on two servers: one has the fast path in front, the other is node:http alone. Both must send the
 * same responses for any bytes, in any chunks.
 */
describe('the fast path', () => {
  let shortlink: StartedApp
  let withLane: Door
  let without: Door
  let path: string
  beforeAll(async () => {
    shortlink = await startApp()
    const redirects = redirectHandler(shortlink.app)
    withLane = await open(redirects, new FastPath(redirects))
    without = await open(redirects)
    const { body } = await shortlink.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/lane' } })
    path = `/${body.id.split('/')[1]}`
  })
  afterAll(async () => {
    withLane.close()
    without.close()
    await shortlink.close()
  })

  const ask = (asked: string, ...headers: string[]) =>
    `${asked} HTTP/1.1\r\nHost: ${shortlink.domain}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`
  const get = (asked: string, ...headers: string[]) => ask(`GET ${asked}`, ...headers)
  const last = 'Connection: close'

  async function expectAlike(...pieces: string[]): Promise<string> {
    // A response that needs a lookup comes later, perhaps after the error for the bytes that follow it.
    await without.exchange(pieces)
    for (let tries = 1; ; tries++) {
      const [fast, plain] = await Promise.all([withLane.exchange(pieces), without.exchange(pieces)])
      const [one, other] = [comparable(fast), comparable(plain)]
      // The system resets a connection that is closed with unread bytes, and loses pending responses.
      if (tries < 5 && one !== other && (one.startsWith(other) || other.startsWith(one))) continue
      expect(one, JSON.stringify(pieces)).toBe(other)
      return fast
    }
  }

  it('sends the same bytes as node:http for every kind of link request', async () => {
    const kinds = [
      path,
      `${path}+`,
      `${path}.`,
      `${path}?r=qr`,
      '/nothing-here',
      '/',
      '/robots.txt',
      '/a/b/c',
      '/%zz',
      '//',
    ]
    for (const asked of kinds.flatMap((each) => [`GET ${each}`, `HEAD ${each}`])) {
      const answer = await expectAlike(ask(asked), get('/robots.txt', last))
      expect(answer).toMatch(/^HTTP\/1\.1 (301|200|404) /)
    }
  })

  it('hands a connection over to node:http with the first request that is not for a link', async () => {
    const answer = await expectAlike(
      get(path),
      get('/v4/user'),
      get(path),
      get('/v4/user', 'X-Tab: a\tb'),
      get(path, last),
    )
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(
      ['301', '404', '301', '404', '301'].map((code) => `HTTP/1.1 ${code}`),
    )
  })

  it('does so for any chunk boundary', async () => {
    const whole = get(path, 'User-Agent: Mozilla/5.0', last)
    for (let at = 1; at < whole.length; at += 3) await expectAlike(whole.slice(0, at), whole.slice(at))
  })

  it('answers pipelined requests in order', async () => {
    const three = get(path) + get('/nothing-here') + get(path, last)
    const answer = await expectAlike(three)
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 301', 'HTTP/1.1 404', 'HTTP/1.1 301'])
  })

  it('answers a request that arrived before the previous response after it', async () => {
    const { body } = await shortlink.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/early' } })
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = collect(withLane.port, resolve, reject)
      // The first one needs a lookup, so it is not answered in the same event-loop turn.
      socket.write(get(`/${body.id.split('/')[1]}`))
      setImmediate(() => socket.write(get('/robots.txt')))
      setTimeout(() => socket.write(get(path, last)), 20)
    })
    expect(answer.match(/Location: \S+|User-agent/g)).toEqual([
      'Location: https://example.com/early',
      'User-agent',
      'Location: https://example.com/lane',
    ])
  })

  it('answers a client that closed its half', async () => {
    const answer = await new Promise<string>((resolve, reject) =>
      collect(withLane.port, resolve, reject).end(get(path)),
    )
    expect(answer).toMatch(/^HTTP\/1\.1 301 /)
  })

  it('agrees with node:http on nearly valid requests', async () => {
    const chance = chanceFrom(7)
    const odd = [
      '',
      '\r',
      '\n',
      '\0',
      '\t',
      ' ',
      ':',
      '\r\n\r\n',
      '\xff',
      'Content-Length: 3\r\n',
      'Host: b\r\n',
      'GET ',
      '#',
    ]
    const start = get(path, 'User-Agent: Mozilla/5.0', 'Connection: keep-alive', 'X-Other: abc')
    for (let round = 0; round < 400; round++) {
      const at = chance.below(start.length)
      const mutated = start.slice(0, at) + chance.of(odd) + start.slice(at + chance.below(8))
      // The next request shows whether both agree on where the first one ends.
      await expectAlike(mutated, get('/robots.txt', last))
    }
  }, 120_000)

  it(`answers ${doorRequests} random requests like node:http (seed ${doorSeed})`, {
    timeout: 60_000 + doorRequests * 20,
  }, async () => {
    const chance = chanceFrom(doorSeed)
    const paths = [
      path,
      path,
      path,
      `${path}+`,
      '/nothing-here',
      '/',
      '/robots.txt',
      '/favicon.ico',
      '/v4/user',
      '/a/b',
    ]
    let answered = 0
    while (answered < doorRequests) {
      const whole = Array.from({ length: 1 + chance.below(40) }, () => aRandomRequest(chance, paths, shortlink.domain))
      const answer = await expectAlike(...cutAnywhere(chance, whole.join('')), get('/robots.txt', last))
      answered += answer.match(/HTTP\/1\.1 \d+/g)?.length ?? 0
    }
    console.log(`${answered} requests were answered alike (DOORS_SEED=${doorSeed})`)
  })

  it('writes the current date, also after the clock was set back', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      for (const date of ['Tue, 01 Jan 2030 00:00:00 GMT', 'Sun, 15 Nov 2026 10:00:00 GMT']) {
        vi.setSystemTime(date)
        expect(await withLane.exchange([get('/robots.txt'), get('/robots.txt', last)])).toContain(
          `\r\nDate: ${date}\r\n`,
        )
      }
    } finally {
      vi.useRealTimers()
    }
  })

  it('closes silent connections, before the first request and between requests', async () => {
    const redirects = redirectHandler(shortlink.app)
    const impatient = await open(redirects, new FastPath(redirects), { headersTimeout: 60, keepAliveTimeout: 60 })
    expect(await impatient.exchange([])).toBe('')
    expect(await impatient.exchange([get(path)])).toMatch(/^HTTP\/1\.1 301 /)
    impatient.close()
  })

  it('closes idle connections at shutdown, and announces it on the others', async () => {
    const { body } = await shortlink.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/bye' } })
    const bye = `/${body.id.split('/')[1]}`
    const redirects = redirectHandler(shortlink.app)
    let idleAnswered = () => {}
    const answered = new Promise<void>((resolve) => {
      idleAnswered = resolve
    })
    // The service stops when one connection has its response and another one still waits.
    const stopping: RedirectHandler = Object.assign(
      (request: LinkRequest, send: Send) => {
        const taken = redirects(request, (...answer) => {
          send(...answer)
          if (request.url === path) idleAnswered()
        })
        if (request.url === bye) door.close()
        return taken
      },
      { http: redirects.http, counts: redirects.counts, times: redirects.times },
    )
    const door = await open(stopping, new FastPath(stopping))
    const idle = door.exchange([get(path)])
    await answered
    const busy = door.exchange([get(bye)])
    expect(await idle).toMatch(/^HTTP\/1\.1 301 /)
    expect(await busy).toMatch(/^HTTP\/1\.1 301 (.|\s)*Connection: close/)
    await door.closed
  })
})

const anyText = [
  'a',
  'Z',
  '0',
  '-',
  '_',
  '.',
  '~',
  '+',
  '%',
  '%41',
  '%2F',
  '%zz',
  '/',
  '//',
  '?',
  '&',
  '=',
  '#',
  ';',
  '"',
  '\xff',
]

/** Mostly what browsers and programs send, and sometimes unusual bytes. */
function aRandomRequest(chance: Chance, paths: readonly string[], domain: string): string {
  const some = (most: number) => Array.from({ length: chance.below(most) }, () => chance.of(anyText)).join('')
  const target = chance.of(paths) + (chance.yes(0.3) ? `?${some(12)}` : '') + (chance.yes(0.15) ? some(6) : '')
  const method = chance.yes(0.9)
    ? chance.of(['GET', 'GET', 'GET', 'HEAD'])
    : chance.of(['POST', 'OPTIONS', 'PUT', 'get', 'X'])
  const version = chance.yes(0.98) ? 'HTTP/1.1' : chance.of(['HTTP/1.0', 'HTTP/2.0', 'HTTP/1.1 ', 'http/1.1'])
  const host = chance.yes(0.97)
    ? `${chance.of(['Host', 'host', 'HOST'])}: ${domain}`
    : chance.of(['Host: other.example', 'Host:', 'X: y'])
  const common = [
    'User-Agent: Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/130.0',
    'user-agent:curl/8.5.0',
    'Accept: */*',
    'Accept-Language: de-DE,de;q=0.9',
    'Referer: https://news.example/a?b=c',
    'Connection: keep-alive',
    'Cookie: a=b; c=d',
    'X-Forwarded-For: 203.0.113.7, 10.0.0.1',
    'Sec-Purpose: prefetch',
    `X-Long: ${'x'.repeat(chance.below(300))}`,
  ]
  const rare = [
    'Connection: close',
    'Connection: Upgrade',
    'Upgrade: h2c',
    'Content-Length: 0',
    'Content-Length: 3',
    'Transfer-Encoding: chunked',
    'Expect: 100-continue',
    'Host: twice.example',
    'X-Tab:\tvalue\t',
    'X-Bytes: \xe4\xf6\xfc',
    'X-Nothing:',
    ' folded: line',
    'No colon',
    'X-Bell: \x07',
    `X-Huge: ${'x'.repeat(9000)}`,
  ]
  const headers = [host, ...chance.some(common, 6), ...(chance.yes(0.06) ? [chance.of(rare)] : [])]
  const end = chance.yes(0.99) ? '\r\n' : chance.of(['\n', '\r', '\r\n '])
  return `${method} ${target} ${version}${end}${headers.map((line) => `${line}\r\n`).join('')}\r\n`
}

/** In up to three pieces, like packets. */
function cutAnywhere(chance: Chance, text: string): readonly string[] {
  const cuts = Array.from({ length: chance.below(3) }, () => chance.below(text.length)).sort(
    (one, other) => one - other,
  )
  return [0, ...cuts].map((from, index) => text.slice(from, cuts[index])).filter((piece) => piece !== '')
}

interface Door {
  readonly port: number
  /** Sends the pieces one after the other with pauses, and returns everything received. */
  exchange(pieces: readonly string[], sent?: () => void): Promise<string>
  close(): void
  readonly closed: Promise<void>
}

async function open(redirects: RedirectHandler, lane?: FastPath, timeouts: Partial<Server> = {}): Promise<Door> {
  const answer: RequestListener = (request, response) => {
    if (redirects.http(request, response)) return
    response.writeHead(404, ['Content-Length', '0'])
    response.end()
  }
  // As in the service.
  const server = createServer({ connectionsCheckingInterval: 20 }, oneAtATime(answer))
  const broken = brokenRequests()
  broken.watch(server)
  server.on('clientError', broken.answer)
  // Longer than this process may be blocked on a busy machine: after that, connections that wait for more bytes are
  // closed.
  Object.assign(server, { keepAliveTimeout: 5000, headersTimeout: 3000, ...timeouts })
  lane?.attach(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const closed = new Promise<void>((resolve) => server.once('close', resolve))
  return {
    port,
    closed,
    exchange: (pieces, sent) =>
      new Promise((resolve, reject) => {
        const socket = collect(port, resolve, reject)
        socket.setNoDelay(true)
        const send = (at: number): void => {
          const piece = pieces[at]
          if (piece === undefined || !socket.writable) sent?.()
          else socket.write(piece, 'latin1', () => setTimeout(send, 2, at + 1))
        }
        socket.on('connect', () => send(0))
      }),
    close: () => {
      lane?.close()
      server.close()
      server.closeIdleConnections()
    },
  }
}

/** Everything received until the other side closes; a reset counts as an end. */
function collect(port: number, resolve: (text: string) => void, reject: (error: Error) => void): Socket {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
  })
  socket.on('close', () => resolve(text))
  return socket
}

/** Our response, and node's own for a request without a host. */
const refusal =
  /HTTP\/1\.1 400 Bad Request\r\n(Content-Type: application\/json[^\r]*\r\nContent-Length: \d+\r\n)?Connection: close\r\n(Date: now\r\nTransfer-Encoding: chunked\r\n)?\r\n(0\r\n\r\n|\{"message":"BAD_REQUEST"[^}]*\})?$/

/**
 * Invalid bytes are rejected when all earlier responses are sent; after a pending response the connection just ends.
 * Which of the two happens depends on timing, and means the same to the client.
 */
function comparable(answer: string): string {
  const undated = answer.replace(/Date: [^\r]*/g, 'Date: now')
  const said = undated.replace(refusal, '')
  const last = Math.max(0, said.lastIndexOf('HTTP/1.1 '))
  const ended = said.slice(last).replace(/Connection: keep-alive\r\nKeep-Alive: [^\r]*/, 'Connection: close')
  return said.slice(0, last) + ended
}
