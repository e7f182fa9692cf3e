import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aDocument, publishSite } from '../site-pages/publish.js'
import { clicksIn, Load } from '../support/load.js'
import { allRun, Connection, figure, frozen, readiness, redirectProcesses } from '../support/redirect-processes.js'
import { rounds } from '../support/rounds.js'
import { startApp } from '../support/start-app.js'
import { drained, processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

const three = ['--processes', '3']
const two = ['--processes', '2']
/** Clicks of others are not told to live readers. */
const browser = {
  'user-agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'accept-language': 'en-US,en;q=0.9',
}
const authorization = `Bearer ${processToken}`

describe.skipIf(process.platform === 'win32')('several processes', { timeout: 300_000 }, () => {
  let dataDir: string
  let service: ServiceProcess | undefined
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'shortlink-processes-'))
  })
  afterEach(async () => {
    await service?.stop('SIGKILL')
    service = undefined
    rmSync(dataDir, { recursive: true, force: true })
  })

  async function start(flags: readonly string[]): Promise<ServiceProcess> {
    const started = await startProcess(dataDir, flags)
    service = started
    await allRun(started)
    return started
  }

  it.each(Array.from({ length: rounds }, (_, round) => round + 1))(
    'count every answered redirect once, while one of them and then the main one are killed (round %i)',
    async () => {
      const first = await start(three)
      const { path } = await shortenAt(first.url, 'https://example.com/killed')
      const load = new Load(first.url + path)
      const isOver = load.run(12)
      await load.reached(1_500)
      const [victim = 0] = redirectProcesses(first)
      process.kill(victim, 'SIGKILL')
      await expect
        .poll(() => redirectProcesses(first).filter((pid) => pid !== victim).length, { timeout: 60_000 })
        .toBe(2)
      await allRun(first)
      expect(await figure(first, 'shortlink_redirect_process_restarts_total')).toBe(1)
      await load.reached(load.answered.size + 1_500)
      const others = redirectProcesses(first)
      first.child.kill('SIGKILL')
      await isOver
      // They end with the main process, or another one could not use its port and their journals.
      await expect.poll(() => others.filter(isAlive), { timeout: 60_000 }).toEqual([])

      // Journals of more processes than there are now are delivered too.
      service = await startProcess(dataDir)
      await drained(service.url)
      expect(await service.stop('SIGTERM')).toBe(0)
      await expectCounted(load, dataDir)
    },
  )

  it('are stopped without losing what they answered', async () => {
    const running = await start(three)
    const { path } = await shortenAt(running.url, 'https://example.com/stopped')
    const load = new Load(running.url + path)
    const isOver = load.run(12)
    await load.reached(1_500)
    const others = redirectProcesses(running)
    expect(await running.stop('SIGTERM')).toBe(0)
    await isOver
    expect(others.filter(isAlive)).toEqual([])
    await expectCounted(load, dataDir)
  })

  it('give the main process what is not for a short link, with every byte in order', async () => {
    const running = await start(two)
    const { id, path } = await shortenAt(running.url, 'https://example.com/first')
    const connection = await frozen(running, async () => {
      const opened = await Connection.open(running)
      await opened.ask(opened.request('GET', path))
      return opened
    })
    expect(connection.locations).toEqual(['https://example.com/first'])
    const read = connection.request('GET', `/v4/shortlinks/${id}`, { authorization })
    // The redirect that came with others is answered by the main process, as they are.
    await connection.ask(read + connection.request('GET', path) + connection.request('HEAD', path) + read, 4)
    expect(connection.statuses).toEqual([301, 200, 301, 301, 200])
    expect(connection.received.match(/"long_url":"https:\/\/example.com\/first"/g)).toHaveLength(2)
    await connection.ask(connection.request('GET', path))
    expect(connection.statuses.at(-1)).toBe(301)
    connection.socket.destroy()
    await drained(running.url)
    expect((await readiness(running)).journal.recorded).toBe(4)
  })

  it('answer the only request of a connection, as proxies send it', async () => {
    const running = await start(two)
    const { path } = await shortenAt(running.url, 'https://example.com/proxy')
    await frozen(running, async () => {
      for (const change of [
        (text: string) => text.replace('HTTP/1.1', 'HTTP/1.0'),
        (text: string) => text.replace('\r\n', '\r\nConnection: close\r\n'),
      ]) {
        const connection = await Connection.open(running)
        await connection.ask(change(connection.request('GET', path)))
        await connection.closed
        expect(connection.locations).toEqual(['https://example.com/proxy'])
        expect(connection.received).toContain('\r\nConnection: close\r\n')
        connection.socket.destroy()
      }
    })
    await drained(running.url)
    expect((await readiness(running)).journal.recorded).toBe(2)
  })

  it('give it bodies that arrive in pieces, and clients that have closed their half', async () => {
    const running = await start(two)
    const title = 'x'.repeat(50_000)
    const body = JSON.stringify({ long_url: 'https://example.com/pieces', title })
    const connection = await frozen(running, async () => {
      const opened = await Connection.open(running)
      const headers = { authorization, 'content-type': 'application/json' }
      const text = opened.request('POST', '/v4/shortlinks', headers, body)
      for (let at = 0; at < text.length; at += 5_000) {
        opened.socket.write(text.slice(at, at + 5_000))
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      opened.socket.end()
      return opened
    })
    await connection.closed
    expect(connection.statuses).toHaveLength(1)
    // Longer than a title may be: all of it arrived.
    expect(connection.received).toMatch(/^HTTP\/1\.1 (201|400)/)
    expect(connection.received).toContain('title')
  })

  it('give it readers of live updates, which tell clicks of all processes', async () => {
    const running = await start(two)
    const { id, path } = await shortenAt(running.url, 'https://example.com/live')
    const reader = await frozen(running, async () => {
      const opened = await Connection.open(running)
      opened.socket.write(opened.request('GET', `/v4/shortlinks/${id}/events`, { authorization }))
      return opened
    })
    await expect.poll(() => reader.received, { timeout: 60_000 }).toContain('event: ready')
    await frozen(running, async () => {
      const visitor = await Connection.open(running)
      await visitor.ask(visitor.request('GET', path, browser))
      visitor.socket.destroy()
    })
    await expect.poll(() => reader.received, { timeout: 60_000 }).toContain('event: click')
    reader.socket.destroy()
  })

  it('let it answer pages of sites', async () => {
    const built = await startApp({ dataDir, databaseUrl: undefined })
    const site = await publishSite(built, aDocument({}, []))
    await built.close()
    const running = await start(two)
    const visitor = await frozen(running, async () => {
      const opened = await Connection.open(running)
      opened.socket.write(opened.request('GET', site.path, browser))
      await new Promise((resolve) => setTimeout(resolve, 100))
      return opened
    })
    await visitor.answered(1)
    await visitor.ask(visitor.request('GET', `${site.path}nothing`))
    expect(visitor.statuses).toEqual([200, 404])
    expect(visitor.received).toContain('text/html')
    visitor.socket.destroy()
    await drained(running.url)
    expect((await readiness(running)).journal.recorded).toBe(1)
  })

  it('all see a changed link and a changed domain', async () => {
    const running = await start(three)
    const { id, path } = await shortenAt(running.url, 'https://example.com/0')
    const change = async (method: string, at: string, body: object) => {
      const headers = { authorization, 'content-type': 'application/json' }
      const answer = await fetch(running.url + at, { method, headers, body: JSON.stringify(body) })
      expect(answer.status, await answer.text()).toBeLessThan(300)
    }
    const { organizations } = (await (
      await fetch(`${running.url}/v4/organizations`, { headers: { authorization } })
    ).json()) as { organizations: readonly { guid: string }[] }
    const domains = `/v4/organizations/${organizations[0]?.guid}/domains`
    const domain = 'go.example.com'
    await change('POST', domains, { domain, group_guids: [], root_url: 'https://example.com/r0' })
    /** By the other processes alone, over so many connections that each of them answers. */
    const asked = (what: string, host?: string) =>
      frozen(running, async () => {
        const found = Array.from({ length: 16 }, async () => {
          const visitor = await Connection.open(running)
          await visitor.ask(visitor.request('GET', what, host === undefined ? {} : { host }))
          visitor.socket.destroy()
          return visitor.locations[0]
        })
        return new Set(await Promise.all(found))
      })
    for (let round = 0; round < 5; round++) {
      await expect.poll(() => asked(path), { timeout: 60_000 }).toEqual(new Set([`https://example.com/${round}`]))
      await expect
        .poll(() => asked('/', domain), { timeout: 60_000 })
        .toEqual(new Set([`https://example.com/r${round}`]))
      await change('PATCH', `/v4/shortlinks/${id}`, { long_url: `https://example.com/${round + 1}` })
      await change('PATCH', `${domains}/${domain}`, { root_url: `https://example.com/r${round + 1}` })
    }
  })

  it('are one service in figures, which do not go back when one is replaced', async () => {
    const running = await start(two)
    const { path } = await shortenAt(running.url, 'https://example.com/figures')
    const visit = () =>
      frozen(running, async () => {
        const visitor = await Connection.open(running)
        for (let count = 0; count < 70; count++) await visitor.ask(visitor.request('GET', path))
        visitor.socket.destroy()
      })
    const figures = async () => [
      await figure(running, 'shortlink_redirect_requests_total{outcome="redirects"}'),
      await figure(running, 'shortlink_journal_clicks_total'),
      await figure(running, 'shortlink_redirect_seconds_count'),
      await figure(running, 'shortlink_redirect_processes'),
    ]
    await visit()
    await expect.poll(figures, { timeout: 60_000 }).toEqual([70, 70, 1, 2])
    const [victim = 0] = redirectProcesses(running)
    process.kill(victim, 'SIGSTOP')
    process.kill(victim, 'SIGKILL')
    await expect
      .poll(async () => (await readiness(running)).troubles, { timeout: 60_000 })
      .toEqual(['processes: 0 of 1 processes for redirects run beside this one'])
    await allRun(running)
    expect(await figures()).toEqual([70, 70, 1, 2])
    await visit()
    await expect.poll(figures, { timeout: 60_000 }).toEqual([140, 140, 2, 2])
    await drained(running.url)
  })

  it('are refused in other numbers', async () => {
    for (const number of ['0', '65', 'all']) {
      await expect(startProcess(dataDir, ['--processes', number])).rejects.toThrow(
        /a whole number from 1 to 64, or auto/,
      )
    }
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function expectCounted(load: Load, dataDir: string): Promise<void> {
  const { counted, journals } = await clicksIn(dataDir)
  load.expectCounted(counted)
  expect(journals).toBeGreaterThan(1)
}
