/**
 * Links are followed beside the service, which must neither slow its redirects down nor fail unseen. The embedded endpoint
 * stands for a daemon here; real-nsqd.test.ts has the real ones.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Nsqd, startNsqd } from '../../src/engines/nsqd/server.js'
import { Closing } from '../../src/lib/closing.js'
import { freePort } from '../support/free-port.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { allowed } from './readers.js'

let folder: string
let closing: Closing
beforeEach(() => {
  closing = new Closing()
  folder = mkdtempSync(join(tmpdir(), 'shortlink-following-'))
})
afterEach(async () => {
  await closing.close()
  rmSync(folder, { recursive: true })
})

const aDaemon = async (port: number): Promise<Nsqd> =>
  closing.add(await startNsqd({ file: join(folder, `${port}.sqlite`), port }))
const published = (daemon: Nsqd, topic: string): number =>
  daemon.stats({ topic }).topics.reduce((sum, { message_count }) => sum + message_count, 0)
const waitTimeout = { timeout: 60_000, interval: 20 }

describe('a service whose stream is on daemons and whose records are its own', () => {
  let port: number
  let started: StartedApp
  beforeEach(async () => {
    port = await freePort()
    started = closing.add(await startApp({ nsqdTcpAddresses: [`127.0.0.1:${port}`] }))
  })
  const cursor = (): number => {
    const { dataDir } = started.app.config
    return JSON.parse(readFileSync(join(dataDir, 'nsqd-positions.json'), 'utf8')).links
  }

  it('remembers where links lead while they are followed, and learns what another process changes', {
    timeout: 60_000,
  }, async () => {
    const daemon = await aDaemon(port)
    // So long ago that the bookmark is moved soon: the last minute is not certain.
    const { organizationGuid = '' } = (await started.app.groups.groups([started.groupGuid]))[0] ?? {}
    const anHourAgo = started.app.clock.now() - 3_600_000
    await started.app.streamStore.allowReader(
      { kind: 'organization', subject: organizationGuid },
      'operator',
      anHourAgo,
    )
    const { link } = await allowed(started)
    const visit = async () => (await started.request('GET', link, { token: null })).headers.location
    const { redirectCache, clock } = started.app
    await vi.waitFor(() => expect(published(daemon, 'links')).toBe(1), waitTimeout)
    await visit()
    const [id, before] = [`${started.domain}${link}`, cursor()]
    await vi.waitFor(() => expect(cursor()).toBeGreaterThan(before), waitTimeout)
    // Nobody has visited it meanwhile.
    expect(redirectCache.peek(id, clock.now())).toBeDefined()

    await inAnotherProcess(`
      const { openSqlite } = await import(${JSON.stringify(sqliteModule)})
      const records = await openSqlite(${JSON.stringify(join(started.app.config.dataDir, 'records.sqlite'))})
      await records.links.update(${JSON.stringify(id)}, { longUrl: 'https://example.com/elsewhere' }, { login: 'ada', at: 1 })
      await records.close()`)
    expect(await visit()).toBe('https://example.com/elsewhere')
  })

  it('says in /readyz and /metrics that links cannot be told of, until they can', { timeout: 120_000 }, async () => {
    await allowed(started)
    const readiness = async () => (await started.request('GET', '/readyz', { token: null })).body
    const figure = async (name: string) => {
      const { text } = await started.request('GET', '/metrics', { token: null })
      return Number(new RegExp(`^shortlink_stream_${name} (\\S+)$`, 'm').exec(text)?.[1])
    }
    const trouble = /^stream: new links are waiting in the database \(No nsqd has confirmed the messages\..+\)$/
    await vi.waitFor(async () => {
      const { status, troubles, pipeline } = await readiness()
      expect(status).toBe('degraded')
      expect(troubles).toContainEqual(expect.stringMatching(trouble))
      expect(pipeline.links.failures).toBeGreaterThan(0)
    }, waitTimeout)
    expect(await figure('links_failures_total')).toBeGreaterThan(0)
    await vi.waitFor(async () => expect(await figure('links_lag_seconds')).toBeGreaterThan(1), waitTimeout)

    const daemon = await aDaemon(port)
    await vi.waitFor(async () => {
      expect((await readiness()).troubles).not.toContainEqual(expect.stringMatching(trouble))
    }, waitTimeout)
    expect(published(daemon, 'links')).toBe(1)
    await vi.waitFor(async () => expect(await figure('links_lag_seconds')).toBeLessThan(1), waitTimeout)
  })
})

const sqliteModule = new URL('../../dist-modules/storage/records/sqlite.js', import.meta.url).href

function inAnotherProcess(script: string): Promise<unknown> {
  return promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
}
