/**
 * The embedded endpoint stands for a daemon here: it confirms, refuses and dies as one. test/stream has the real ones.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../core/values/time.js'
import { any } from '../../engines/nsqd/authorization.js'
import type { NsqdOptions } from '../../engines/nsqd/options.js'
import { type Nsqd, startNsqd } from '../../engines/nsqd/server.js'
import { CursorFile } from './cursor-file.js'
import { type Daemon, httpDaemon } from './daemon.js'
import { NsqdPublisher } from './publisher.js'
import { tcpDaemon } from './tcp-daemon.js'

let folder: string
let closing: (() => unknown)[]
let failed: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-publisher-'))
  closing = []
  failed = []
})
afterEach(async () => {
  for (const close of closing.reverse()) await close()
  rmSync(folder, { recursive: true })
})

async function aDaemon(options: Partial<NsqdOptions> = {}): Promise<Nsqd> {
  const nsqd = await startNsqd({ file: join(folder, `${closing.length}.sqlite`), port: 0, ...options })
  closing.push(() => nsqd.close())
  return nsqd
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => new Promise((resolve) => server.close(resolve)))
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

function publisherTo(...daemons: readonly Daemon[]): NsqdPublisher {
  const cursors = new CursorFile(join(folder, 'positions.json'), (reason) => failed.push(reason))
  const onFailure = (daemon: string) => failed.push(daemon)
  const publisher = new NsqdPublisher({ daemons, cursors, clock: systemClock, takes: () => true, onFailure })
  closing.push(() => publisher.close())
  return publisher
}

const at = (nsqd: Nsqd, secret?: string): Daemon => tcpDaemon(`127.0.0.1:${nsqd.port}`, secret)
const messages = (count: number, size = 10): Buffer[] =>
  Array.from({ length: count }, (_, index) => Buffer.from(String(index).padStart(size, '.')))
const published = (...daemons: readonly Nsqd[]): number =>
  daemons.reduce((sum, nsqd) => sum + (nsqd.stats({ topic: 'clicks' }).topics[0]?.message_count ?? 0), 0)
const upTo = (row: number) => ({ journalId: 'j', row })

describe('publishing to daemons', () => {
  it('moves the position once everything was confirmed, and keeps it', async () => {
    const nsqd = await aDaemon()
    const publisher = publisherTo(at(nsqd))
    expect(await publisher.position('j')).toBe(0)
    const clicks = messages(300)
    await publisher.publish(
      [
        ['clicks', clicks],
        ['clicks.acme', clicks.slice(0, 3)],
      ],
      upTo(7),
    )
    expect(nsqd.stats().topics.map(({ message_count }) => message_count)).toEqual([300, 3])
    expect(await publisher.position('j')).toBe(7)
    expect(await publisherTo(at(nsqd)).position('j')).toBe(7)
    expect(await publisher.position('another')).toBe(0)
  })

  it('moves the position also when nothing was to be published', async () => {
    const publisher = publisherTo(tcpDaemon('127.0.0.1:1', undefined))
    await publisher.publish([], upTo(3))
    expect(await publisher.position('j')).toBe(3)
  })

  it('sends much in pieces that a daemon takes', async () => {
    const nsqd = await aDaemon({ limits: { maxBodySize: 1024 * 1024 + 64 } })
    await publisherTo(at(nsqd)).publish([['clicks', messages(100, 50_000)]], upTo(1))
    expect(published(nsqd)).toBe(100)
  })

  it('lets daemons take turns, and goes on with the others when one dies', async () => {
    const [one, other] = [await aDaemon(), await aDaemon()]
    const publisher = publisherTo(at(one), at(other))
    for (let row = 1; row <= 4; row++) await publisher.publish([['clicks', messages(5)]], upTo(row))
    expect([published(one), published(other)]).toEqual([10, 10])
    await one.close()
    for (let row = 5; row <= 8; row++) await publisher.publish([['clicks', messages(5)]], upTo(row))
    expect(published(other)).toBe(30)
    expect(failed).toHaveLength(1)
    expect(await publisher.position('j')).toBe(8)
  })

  it('rejects and stays where it was when no daemon confirms, and succeeds when one is back', async () => {
    const nsqd = await aDaemon()
    const { port } = nsqd
    const publisher = publisherTo(at(nsqd))
    await publisher.publish([['clicks', messages(1)]], upTo(1))
    await nsqd.close()
    await expect(publisher.publish([['clicks', messages(1)]], upTo(2))).rejects.toThrow(/No nsqd has confirmed/)
    expect(await publisher.position('j')).toBe(1)
    const back = await aDaemon({ port })
    await publisher.publish([['clicks', messages(1)]], upTo(2))
    expect([published(back), await publisher.position('j')]).toEqual([1, 2])
  })

  it('says which secret to set when a daemon asks who publishes', async () => {
    const nsqd = await aDaemon({
      authorize: async (secret) => ({
        identity: 'shortlink',
        identityUrl: '',
        ttl: 60,
        grants: secret === 'right' ? [{ topic: any, channels: any, permissions: ['publish'] }] : [],
      }),
    })
    await publisherTo(at(nsqd, 'right')).publish([['clicks', messages(2)]], upTo(1))
    expect(published(nsqd)).toBe(2)
    const without = publisherTo(at(nsqd)).publish([['clicks', messages(2)]], upTo(2))
    await expect(without).rejects.toThrow(/Set nsqdAuthSecret/)
    const wrong = publisherTo(at(nsqd, 'wrong')).publish([['clicks', messages(2)]], upTo(2))
    await expect(wrong).rejects.toThrow(/E_UNAUTHORIZED/)
  })

  it.each([
    ['closes at once', Buffer.alloc(0)],
    ['is no nsqd', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['answers with an error', frame(1, 'E_INVALID no')],
    ['negotiates nonsense', frame(0, '[]')],
  ])('turns to the next daemon when one %s', async (_, answer) => {
    const port = await listening(
      createServer((socket) =>
        socket
          .on('error', () => {})
          .resume()
          .end(answer),
      ),
    )
    const nsqd = await aDaemon()
    const publisher = publisherTo(tcpDaemon(`127.0.0.1:${port}`, undefined), at(nsqd))
    await publisher.publish([['clicks', messages(2)]], upTo(1))
    expect([published(nsqd), failed]).toEqual([2, [`127.0.0.1:${port}`]])
  })

  it('does not take an HTTP server for a daemon', async () => {
    const server = createHttpServer((_request, response) => response.end('Welcome'))
    const port = await listening(server)
    closing.push(() => server.closeAllConnections())
    const attempt = publisherTo(httpDaemon(`http://127.0.0.1:${port}`)).publish([['clicks', messages(1)]], upTo(1))
    await expect(attempt).rejects.toThrow(/does not accept messages for clicks \(status 200: Welcome\)/)
  })

  it('begins anew, and says so, when the file of positions is damaged', async () => {
    writeFileSync(join(folder, 'positions.json'), '{"j": 4')
    const publisher = publisherTo()
    expect(await publisher.position('j')).toBe(0)
    expect(failed).toHaveLength(1)
    await publisher.publish([], upTo(9))
    expect(JSON.parse(readFileSync(join(folder, 'positions.json'), 'utf8'))).toEqual({ j: 9 })
  })
})

function frame(type: number, data: string): Buffer {
  const bytes = Buffer.alloc(8 + data.length)
  bytes.writeUInt32BE(4 + data.length, 0)
  bytes.writeUInt32BE(type, 4)
  bytes.write(data, 8)
  return bytes
}
