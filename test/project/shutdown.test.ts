import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Service, startService } from '../../src/runtime/service.js'
import { freePort } from '../support/free-port.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { startProcess } from '../support/start-process.js'

describe('a service that closes', () => {
  let shortlink: StartedApp
  let service: Service
  beforeEach(async () => {
    shortlink = await startApp()
    const config = { ...shortlink.app.config, port: await freePort() }
    service = await startService({ ...shortlink.app, config }, { closeTimeout: 300 })
  })
  afterEach(() => shortlink.close())

  const head = () =>
    `POST /v4/shorten HTTP/1.1\r\nHost: ${shortlink.domain}\r\nAuthorization: Bearer ${shortlink.token}\r\n`
  const body = '{"long_url":"https://example.com/late"}'
  const withBody = () => `${head()}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`

  it.each([
    ['nothing', () => ''],
    ['half a request line', () => 'GET /some'],
    ['half of its headers', () => head()],
    ['half of its body', () => withBody() + body.slice(0, 9)],
    [
      'half of the body of a request that was answered',
      () => 'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc',
    ],
  ])('is not held up by a client that has sent %s', async (_what, sent) => {
    const client = await connected()
    const gone = once(client, 'close')
    client.write(sent())
    await seen(client)
    await service.close()
    await gone
  })

  it('answers a request whose body arrives meanwhile', async () => {
    const client = await connected()
    client.write(withBody() + body.slice(0, 9))
    await seen(client)
    const closed = service.close()
    const answered = once(client, 'data')
    client.write(body.slice(9))
    expect(String((await answered)[0])).toMatch(/^HTTP\/1\.1 201 /)
    await closed
  })

  async function connected(): Promise<Socket> {
    const socket = connect(service.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.resume()
    await once(socket, 'connect')
    return socket
  }

  /** A second connection is answered behind what the first has sent. */
  async function seen(client: Socket): Promise<void> {
    while (client.writableLength > 0) await once(client, 'drain')
    await fetch(`http://127.0.0.1:${service.port}/healthz`, { headers: { connection: 'close' } })
  }
})

describe('a signal', () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'shortlink-signal-'))
  })
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

  async function busyService() {
    const service = await startProcess(dataDir)
    const client = connect(Number(new URL(service.url).port), '127.0.0.1')
    client.on('error', () => {})
    client.write('POST /v4/shorten HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{')
    await once(client, 'data')
    return { service, client }
  }

  it('that comes twice, from the terminal and from npm, is one: requests are finished', async () => {
    const { service, client } = await busyService()
    service.child.kill('SIGINT')
    const ended = service.stop('SIGINT')
    await once(service.child.stdout ?? client, 'data')
    client.end('}        ')
    expect(await ended).toBe(0)
    expect(service.output()).toContain('"msg":"stopped"')
  })

  it('after the first ends the process at once, whatever is under way', async () => {
    const { service, client } = await busyService()
    service.child.kill('SIGTERM')
    while (!service.output().includes('a second signal stops at once'))
      await once(service.child.stdout ?? client, 'data')
    // A third of a second later it is no echo of the first any more.
    await after(400)
    expect(await service.stop('SIGTERM')).toBe(130)
    expect(service.output()).not.toContain('"msg":"stopped"')
    client.destroy()
  })
})
