import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { LiveReaders, type LiveSource } from '../../src/core/live/live-readers.js'
import { type FeedUpdate, keyOf, type LiveSubject } from '../../src/core/live/live-subject.js'
import { startService } from '../../src/runtime/service.js'
import { signedIn } from '../oauth/form-browser.js'
import { aPerson, password } from '../oauth/people.js'
import { recordForConformance } from '../support/conformance-record.js'
import { freePort } from '../support/free-port.js'
import { endLiveConnections } from '../support/live-connections.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { organize } from './organize.js'
import { visit } from './visits.js'

describe('live updates', { timeout: 120_000 }, () => {
  let started: StartedApp
  let link: string
  let other: string
  const open: Following[] = []
  beforeAll(async () => {
    started = await startApp({ trustProxy: 1, apiConnections: 2 })
    link = await shortened('https://example.com/live')
    other = await shortened('https://example.com/other')
  })
  afterEach(() => {
    for (const following of open.splice(0)) following.close()
  })
  afterAll(() => started.close())

  async function shortened(longUrl: string, groupGuid = started.groupGuid): Promise<string> {
    const { body } = await started.request('POST', '/v4/shorten', {
      body: { long_url: longUrl, group_guid: groupGuid },
    })
    return body.id
  }

  async function follow(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Following> {
    const following = await Following.open(started, path, { authorization: `Bearer ${started.token}`, ...headers })
    open.push(following)
    return following
  }
  const ofGroup = () => `/v4/groups/${started.groupGuid}/events`
  const ofLink = (id: string) => `/v4/shortlinks/${id}/events`

  it('begin with `ready`, then tell each click of the group with what reports know of it', async () => {
    const live = await follow(ofGroup())
    expect(live.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    expect(live.headers['cache-control']).toBe('no-store')
    expect(await live.event('ready')).toMatchObject({ data: { resumed: false } })
    await visit(started, link, { agent: 'phone', referrer: 'https://l.instagram.com/abc' })
    const { data } = await live.event('click')
    expect(data).toEqual({
      event_id: expect.any(String),
      clicked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      type: 'click',
      shortlink: link,
      group_guid: started.groupGuid,
      country: 'GB',
      region: expect.any(String),
      city: expect.any(String),
      referrer: 'https://l.instagram.com/abc',
      referrer_network: 'instagram',
      device: 'Mobile',
      os: expect.any(String),
      browser: expect.any(String),
    })
  })

  it('leave out robots, and the clicks of other groups and organizations', async () => {
    const live = await follow(ofGroup())
    const organization = await organize(started).organization()
    const foreign = await organize(started).group('Foreign', organization)
    const neighbour = await organize(started).group('Neighbour')
    await visit(started, link, { agent: 'robot' })
    await visit(started, await shortened('https://example.com/foreign', foreign))
    await visit(started, await shortened('https://example.com/neighbour', neighbour))
    await visit(started, link, { scan: true })
    expect(await live.event('click')).toMatchObject({ data: { shortlink: link, type: 'scan' } })
  })

  it('of a link tell its clicks only, whichever back-half was used', async () => {
    const keyword = 'live-words'
    const body = { long_url: 'https://example.com/keyword', keyword }
    const { id } = (await started.request('POST', '/v4/shortlinks', { body })).body
    const live = await follow(ofLink(id))
    await visit(started, other)
    await visit(started, `${started.domain}/${keyword}`)
    await visit(started, id)
    expect(await live.event('click')).toMatchObject({ data: { shortlink: id, keyword } })
    expect((await live.event('click')).data).not.toHaveProperty('keyword')
  })

  it('resume after Last-Event-ID', async () => {
    const live = await follow(ofLink(link))
    await visit(started, link)
    const { id } = await live.event('click')
    live.close()
    await visit(started, link, { referrer: 'https://missed.example/' })
    await started.clicksCounted()
    // A click that reached the click log reaches the feed a moment later.
    const again = await follow(ofLink(link), { 'last-event-id': id })
    expect(await again.event('ready')).toMatchObject({ data: { resumed: true } })
    expect(await again.event('click')).toMatchObject({ data: { referrer: 'https://missed.example/' } })
    const unknown = await follow(ofLink(link), { 'last-event-id': 'ffffffffffff-7' })
    expect(await unknown.event('ready')).toMatchObject({ data: { resumed: false } })
    await unknown.event('missed')
  })

  it('say that clicks were missed after an id of another process, or of one before a restart', async () => {
    const live = await follow(ofGroup())
    const { id } = await live.event('ready')
    live.close()
    const other = await startApp({ trustProxy: 1 })
    try {
      const path = `/v4/groups/${other.groupGuid}/events`
      const elsewhere = async (headers: Readonly<Record<string, string>>) => {
        const following = await Following.open(other, path, { authorization: `Bearer ${other.token}`, ...headers })
        open.push(following)
        return following
      }
      const again = await elsewhere({ 'last-event-id': id })
      expect(await again.event('ready')).toMatchObject({ data: { resumed: false } })
      const missed = await again.event('missed')
      // What was missed is told once: the id of this process can be resumed.
      again.close()
      const resumed = await elsewhere({ 'last-event-id': missed.id })
      expect(await resumed.event('ready')).toMatchObject({ data: { resumed: true } })
      const { body } = await other.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/again' } })
      await visit(other, body.id)
      await resumed.event('click')
    } finally {
      await other.close()
    }
  })

  it('say that clicks were missed after the connection to other processes was lost, and go on', async () => {
    const live = await follow(ofGroup())
    await live.event('ready')
    endLiveConnections(started)
    await live.event('missed')
    await visit(started, link)
    await live.event('click')
  })

  it('count what is above twenty clicks a second, and lose none', async () => {
    const live = await follow(ofGroup())
    await live.event('ready')
    const clicks = 150
    await Promise.all(Array.from({ length: clicks }, () => visit(started, link)))
    await vi.waitFor(() => expect(live.clicks()).toBe(clicks), { timeout: 60_000, interval: 50 })
    expect(live.events.some(({ event }) => event === 'clicks')).toBe(true)
  })

  it('take no place among the connections of a client', async () => {
    const live = [await follow(ofGroup()), await follow(ofGroup()), await follow(ofGroup())]
    const answers = await Promise.all([1, 2].map(() => started.request('GET', '/v4/user')))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(live.map(({ status }) => status)).toEqual([200, 200, 200])
    await vi.waitFor(() => expect(started.app.live.counts.open).toBe(3), { timeout: 60_000 })
  })

  it('are for members: 403 without a token and for other groups, 404 and 410 for links', async () => {
    const ask = (path: string, token?: string | null) =>
      started.request('GET', path, { ...(token !== undefined && { token }) })
    expect((await ask(ofGroup(), null)).status).toBe(403)
    expect((await ask('/v4/groups/Bnotmine123/events')).status).toBe(403)
    expect((await ask(ofLink(link), null)).status).toBe(403)
    expect((await ask(ofLink(`${started.domain}/nothing`))).status).toBe(404)
    const gone = await shortened('https://example.com/gone')
    await started.request('DELETE', `/v4/shortlinks/${gone}`)
    expect((await ask(ofLink(gone))).body).toMatchObject({ message: 'GONE', resource: 'shortlinks' })
    const head = await started.request('HEAD', ofGroup())
    expect([head.status, head.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
  })

  it('accept the session of the dashboard, from its own pages only', async () => {
    const login = await aPerson(started)
    await organize(started).role(login, 'reader', { groupGuid: started.groupGuid })
    const browser = await signedIn(started, login, password)
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const asked = async (headers: Readonly<Record<string, string>>) => {
      const live = await Following.open(started, ofGroup(), { cookie, ...headers })
      open.push(live)
      return live.status
    }
    expect(await asked({ 'sec-fetch-site': 'same-origin' })).toBe(200)
    expect(await asked({ 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await asked({ 'sec-fetch-site': 'same-site' })).toBe(403)
    expect(await asked({})).toBe(403)
    // Over plain http to another machine, a browser sends this header alone.
    const page = `${started.app.config.baseUrl}/app/links`
    expect(await asked({ referer: page })).toBe(200)
    expect(await asked({ referer: 'http://elsewhere.example/app/links' })).toBe(403)
    expect(await asked({ referer: page, 'sec-fetch-site': 'cross-site' })).toBe(403)
    const elsewhere = { token: null, headers: { cookie, 'sec-fetch-site': 'same-origin' } }
    expect((await started.request('GET', '/v4/user', elsewhere)).status).toBe(403)
  })

  it('send a heartbeat, and end when the reader loses its access', { timeout: 120_000 }, async () => {
    const login = await aPerson(started)
    const own = organize(started)
    await own.role(login, 'reader', { groupGuid: started.groupGuid })
    const browser = await signedIn(started, login, password)
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const lost = await Following.open(started, ofGroup(), { cookie, 'sec-fetch-site': 'same-origin' })
    const kept = await follow(ofGroup())
    open.push(lost)
    await browser.open('/account/session')
    await started.app.accounts.endOtherSessions(login, undefined)
    await vi.waitFor(() => expect([lost.isOver, kept.comments]).toEqual([true, 1]), { timeout: 60_000, interval: 100 })
    expect(kept.isOver).toBe(false)
  })

  it('drop a reader that does not read, and nobody else', async () => {
    const source = new TestSource()
    const live = new LiveReaders(source)
    const port = await freePort()
    const service = await startService({ ...started.app, live, config: { ...started.app.config, port } })
    const slow = connect(port, '127.0.0.1')
    const ended = new Promise((resolve) => slow.on('close', resolve).on('error', () => {}))
    try {
      const authorization = `Bearer ${started.token}`
      const quick = await Following.open({ ...started, url: `http://127.0.0.1:${port}` }, ofGroup(), { authorization })
      open.push(quick)
      slow.pause()
      slow.write(`GET ${ofGroup()} HTTP/1.1\r\nhost: ${started.domain}\r\nauthorization: ${authorization}\r\n\r\n`)
      await vi.waitFor(() => expect(live.counts.open).toBe(2), { timeout: 60_000 })
      let sent = 0
      // The buffers of the system take some megabytes before the service notices.
      for (; live.counts.dropped === 0 && sent < 10_000; sent++) {
        source.send(`: ${'x'.repeat(8_000)}\n\n`)
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(live.counts).toEqual({ open: 1, opened: 2, dropped: 1 })
      slow.resume()
      await ended
      await vi.waitFor(() => expect(quick.comments).toBe(sent + 1), { timeout: 60_000 })
    } finally {
      slow.destroy()
      await service.close()
    }
  })

  it('are limited as other requests are', async () => {
    const limited = await startApp({
      endpointLimits: [{ endpoint: 'GET /v4/groups/{group_guid}/events', perHour: 10 }],
    })
    try {
      const path = `/v4/groups/${limited.groupGuid}/events`
      const live = await Following.open(limited, path, { authorization: `Bearer ${limited.token}` })
      const { status, body, headers } = await limited.request('GET', path)
      expect([live.status, status, body.message]).toEqual([200, 429, 'RATE_LIMIT_EXCEEDED'])
      expect(headers['retry-after']).toBeDefined()
      // The service stops although the stream is open.
    } finally {
      await limited.close()
    }
  })
})

/** Events that a test makes up, for all readers. */
class TestSource implements LiveSource {
  #receive: (updates: readonly FeedUpdate[]) => void = () => {}
  readonly #keys = new Set<string>()

  async join(subject: LiveSubject): Promise<string> {
    this.#keys.add(keyOf(subject))
    return ': joined\n\n'
  }

  leave(): void {}

  connect({ receive }: Parameters<LiveSource['connect']>[0]): void {
    this.#receive = receive
  }

  send(text: string): void {
    this.#receive([...this.#keys].map((key) => [key, text]))
  }
}

interface SentEvent {
  readonly id: string
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A client of server-sent events. */
class Following {
  readonly #request: ClientRequest
  readonly #response: IncomingMessage
  readonly events: SentEvent[] = []
  comments = 0
  isOver = false
  #next = 0
  #unread = ''

  static open(started: StartedApp, path: string, headers: Readonly<Record<string, string>>): Promise<Following> {
    return new Promise((resolve, reject) => {
      const sent = request(`${started.url}${path}`, { headers: { host: started.domain, ...headers }, agent: false })
      sent.on('response', (response) => {
        recordForConformance('GET', path, { status: response.statusCode ?? 0, body: undefined })
        resolve(new Following(sent, response))
      })
      sent.on('error', reject)
      sent.end()
    })
  }

  private constructor(sent: ClientRequest, response: IncomingMessage) {
    this.#request = sent
    this.#response = response
    response.on('error', () => {})
    response.on('close', () => {
      this.isOver = true
    })
    response.setEncoding('utf8')
    response.on('data', (text: string) => this.#read(text))
  }

  get status(): number {
    return this.#response.statusCode ?? 0
  }

  get headers() {
    return this.#response.headers
  }

  /** The next event, which must be of this kind; counts are skipped. */
  async event(kind: string): Promise<SentEvent> {
    for (;;) {
      const found = await vi.waitFor(
        () => this.events[this.#next] ?? Promise.reject(new Error(`no ${kind}, only ${JSON.stringify(this.events)}`)),
        { timeout: 60_000, interval: 20 },
      )
      this.#next += 1
      if (found.event === kind) return found
      if (found.event !== 'ready') throw new Error(`${found.event} instead of ${kind}`)
    }
  }

  clicks(): number {
    return this.events.reduce((sum, { event, data }) => {
      return event === 'click' ? sum + 1 : event === 'clicks' ? sum + Number(data.count) : sum
    }, 0)
  }

  close(): void {
    this.#request.destroy()
  }

  #read(text: string): void {
    const blocks = (this.#unread + text).split('\n\n')
    this.#unread = blocks.pop() ?? ''
    for (const block of blocks) {
      if (block.startsWith(':')) this.comments += 1
      else {
        const {
          id = '',
          event = '',
          data = 'null',
        } = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2)))
        this.events.push({ id, event, data: JSON.parse(data) })
      }
    }
  }
}
