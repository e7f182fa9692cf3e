/** The whole service with its clicks on ClickHouse: only an option differs, and a server that is away stops no redirect. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { visit } from '../api/visits.js'
import { ClickhouseServer } from '../support/clickhouse-server.js'
import { freePort } from '../support/free-port.js'
import { type StartedApp, startApp } from '../support/start-app.js'

const skip = ClickhouseServer.skip()
const title = 'with clickhouseUrl'
describe.skipIf(skip)(skip === undefined ? title : `${title} (skipped: ${skip})`, () => {
  const clickhouse = new ClickhouseServer()
  let line: Line
  let started: StartedApp
  let id: string
  beforeAll(async () => {
    const url = new URL(await clickhouse.newDatabase())
    line = new Line(await freePort(), Number(url.port))
    await line.open()
    url.port = String(line.port)
    started = await startApp({ clickhouseUrl: url.href, trustProxy: 1 })
    id = (await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/' } })).body.id
  })
  afterAll(async () => {
    await started?.close()
    line?.close()
    await clickhouse.stop()
  })

  const clicks = () => started.request('GET', `/v4/shortlinks/${id}/clicks/summary?unit=day&units=-1`)

  it('reports come from ClickHouse, and nothing is kept in the data directory', async () => {
    await visit(started, id)
    await visit(started, id, { from: 'mountainView' })
    await started.clicksCounted()
    expect((await clicks()).body).toMatchObject({ total_clicks: 2 })
    const countries = await started.request('GET', `/v4/shortlinks/${id}/countries?unit=day&units=-1`)
    expect(countries.body.metrics).toEqual([
      { value: 'GB', clicks: 1 },
      { value: 'US', clicks: 1 },
    ])
    expect(existsSync(join(started.app.config.dataDir, 'clicks.duckdb'))).toBe(false)
  })

  it('while ClickHouse is away redirects go on and reports answer 503; then nothing is missing', async () => {
    line.close()
    await visit(started, id)
    const answer = await clicks()
    expect(answer.status).toBe(503)
    expect(answer.headers['retry-after']).toBe('5')
    expect(answer.body).toMatchObject({
      message: 'TEMPORARILY_UNAVAILABLE',
      description:
        'Click figures are not available at the moment (the click log cannot be reached). Try again in a few seconds.',
    })
    await visit(started, id)
    await vi.waitUntil(async () => (await started.app.pipeline.status()).failures > 0, { timeout: 60_000 })
    await line.open()
    await started.clicksCounted()
    expect((await clicks()).body).toMatchObject({ total_clicks: 4 })
  })

  it('a ClickHouse that is frozen is noticed, and reports answer 503; then nothing is missing', async () => {
    const before = (await clicks()).body.total_clicks
    line.freeze()
    await visit(started, id)
    expect((await clicks()).status).toBe(503)
    const ready = await started.request('GET', '/readyz', { token: null })
    expect(ready.body).toMatchObject({ status: 'degraded' })
    expect(ready.body.troubles).toEqual([expect.stringContaining('did not answer within 3 seconds')])
    line.thaw()
    await started.clicksCounted()
    expect((await clicks()).body).toMatchObject({ total_clicks: before + 1 })
  })

  it.each([undefined, 0])(
    'starts while ClickHouse is away, says so, and counts everything later (stream: %s)',
    async (nsqdPort) => {
      const url = new URL(await clickhouse.newDatabase())
      const away = new Line(await freePort(), Number(url.port))
      url.port = String(away.port)
      const early = await startApp({ clickhouseUrl: url.href, trustProxy: 1, nsqdPort })
      try {
        const { body } = await early.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/' } })
        const summary = () => early.request('GET', `/v4/shortlinks/${body.id}/clicks/summary?unit=day&units=-1`)
        await visit(early, body.id)
        expect((await summary()).status).toBe(503)
        const ready = await early.request('GET', '/readyz', { token: null })
        expect(ready).toMatchObject({ status: 200, body: { status: 'degraded' } })
        expect(ready.body.troubles).toEqual([
          `click log: Cannot reach ClickHouse at http://127.0.0.1:${away.port} (ECONNREFUSED). Check clickhouseUrl and that the server is running.`,
        ])
        await away.open()
        await early.clicksCounted()
        expect((await summary()).body).toMatchObject({ total_clicks: 1 })
        expect((await early.request('GET', '/readyz', { token: null })).body).toMatchObject({ status: 'ready' })
      } finally {
        await early.close()
        away.close()
      }
    },
  )
})

/** A line to a server that can be cut and mended. */
class Line {
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #frozen = false

  constructor(
    readonly port: number,
    readonly target: number,
  ) {}

  async open(): Promise<void> {
    const server = createServer((near) => {
      const far = connect(this.target, '127.0.0.1')
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one)
        if (!this.#frozen) one.pipe(other)
        one.on('error', () => other.destroy())
        one.on('close', () => this.#sockets.delete(one))
      }
    })
    this.#server = server
    await once(server.listen(this.port, '127.0.0.1'), 'listening')
  }

  /** As if the machine at the other end had stopped: connections stay, and nothing comes through. */
  freeze(): void {
    this.#frozen = true
    for (const socket of this.#sockets) socket.unpipe()
  }

  /** What was asked meanwhile is gone. */
  thaw(): void {
    this.#frozen = false
    for (const socket of this.#sockets) socket.destroy()
  }

  close(): void {
    this.#server?.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}
