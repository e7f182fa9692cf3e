/** The stream of a service that dies: what was answered was counted, and what is counted is read. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.js'
import { goNsq } from '../support/go-nsq.js'
import { runCommand } from '../support/run-command.js'
import { processToken, shortenAt, startProcess } from '../support/start-process.js'
import { type Reading, read } from './reading.js'

let dataDir: string
let port: number
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'shortlink-stream-'))
  port = await freePort()
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const start = () => startProcess(dataDir, ['--nsqd-port', String(port)])

async function shortlink(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await runCommand([...args, '--data-dir', dataDir])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return out
}

function reading(input: { channel?: string; options?: object } = {}): Reading {
  const place = { nsqdTCPAddresses: [`localhost:${port}`] }
  const options = { maxConnectionAttempts: 0, ...input.options }
  return read({ topic: 'clicks', token: processToken, dataDir, place, ...input, options })
}

const referrersOf = ({ clicks }: Pick<Reading, 'clicks'>) => new Set(clicks.map(({ r }) => String(r)))
const missingFrom = (reading: Pick<Reading, 'clicks'>, answered: Iterable<string>) => {
  const seen = referrersOf(reading)
  return [...answered].filter((referrer) => !seen.has(referrer))
}

describe('a service with a stream', () => {
  it('loses no click for its reader when it is killed with SIGKILL and started again', {
    timeout: 120_000,
  }, async ({ expect }) => {
    const first = await start()
    await shortlink('stream', 'allow', '--login', 'admin')
    const { path } = await shortenAt(first.url, 'https://example.com/killed')
    const reader = reading({ options: { maxBackoffDuration: 1 } })
    await reader.until(({ connections }) => connections === 1)

    const answered = new Set<string>()
    const visitor = visitorsOf(first.url + path)
    await visitor(answered, () => answered.size < 500 || first.child.kill('SIGKILL') === undefined)
    await first.stop('SIGKILL')

    // On the same port: the link's domain has it in its name.
    const second = await startProcess(dataDir, ['--nsqd-port', String(port)], '', Number(new URL(first.url).port))
    const later = new Set<string>()
    await visitorsOf(second.url + path)(later, () => later.size < 100)
    expect(later.size).toBeGreaterThanOrEqual(100)
    // The first reader may have come back: together they have everything.
    const again = reading()
    const missing = () => missingFrom({ clicks: [...reader.clicks, ...again.clicks] }, [...answered, ...later])
    await expect.poll(missing, { timeout: 90_000, interval: 100 }).toEqual([])
    reader.close()
    again.close()
    expect(await second.stop('SIGTERM')).toBe(0)
  })

  it('brings a reader through the lookup back after a restart', { timeout: 120_000 }, async () => {
    const first = await startProcess(dataDir, ['--nsqd-port', String(port)])
    const httpPort = new URL(first.url).port
    await shortlink('stream', 'allow', '--login', 'admin')
    const { path } = await shortenAt(first.url, 'https://example.com/restarted')
    const lookup = `http://localhost:${httpPort}/v3/nsq/lookup?access_token=${processToken}`
    const place = { lookupdHTTPAddresses: [lookup] }
    const reader = read({ topic: 'clicks', token: processToken, dataDir, place, options: { maxBackoffDuration: 1 } })
    await reader.until(({ connections }) => connections === 1)
    const answered = new Set<string>()
    await visitorsOf(first.url + path)(answered, () => answered.size < 100)
    await first.stop('SIGKILL')
    const second = await startProcess(dataDir, ['--nsqd-port', String(port)], '', Number(httpPort))
    await visitorsOf(second.url + path)(answered, () => answered.size < 200)
    await reader.until((now) => now.connections >= 2 && missingFrom(now, answered).length === 0)
    reader.close()
    expect(await second.stop('SIGTERM')).toBe(0)
  })

  it('is read by a go-nsq consumer through the lookup', { timeout: 120_000 }, async (context) => {
    const programs = goNsq()
    if ('skip' in programs) return context.skip(programs.skip)
    const service = await start()
    await shortlink('stream', 'allow', '--login', 'admin')
    const { path } = await shortenAt(service.url, 'https://example.com/go')
    const options = ['tls_v1,true', `tls_root_ca_file,${join(dataDir, 'stream-ca.pem')}`, `auth_secret,${processToken}`]
    const lookup = `http://localhost:${new URL(service.url).port}/v3/nsq/lookup?access_token=${processToken}`
    const tail = spawn(programs.nsqTail, [
      '--topic=clicks',
      '--channel=go',
      '-n=100',
      '--max-in-flight=1000',
      `--lookupd-http-address=${lookup}`,
      ...options.map((option) => `--consumer-opt=${option}`),
    ])
    const answered = new Set<string>()
    const seen = new Set<string>()
    createInterface({ input: tail.stdout }).on('line', (line) => seen.add(JSON.parse(line).r))
    await visitorsOf(service.url + path)(answered, () => answered.size < 100)
    await once(tail, 'close')
    expect(seen.size).toBe(100)
    await service.stop('SIGTERM')
  })

  it('shows clicks in a terminal, also to an operator whom nobody has allowed', { timeout: 120_000 }, async () => {
    const service = await start()
    const { path } = await shortenAt(service.url, 'https://example.com/tail')
    const tail = spawn(process.execPath, ['dist/main.js', 'stream', 'tail', '--count', '3', '--data-dir', dataDir])
    const output = text(tail.stdout)
    let ended = false
    const end = once(tail, 'exit').then(([code]) => {
      ended = true
      return code
    })
    await visitorsOf(service.url + path)(new Set(), () => !ended)
    expect(await end).toBe(0)
    const lines = (await output).trim().split('\n')
    expect(lines).toHaveLength(3)
    for (const line of lines)
      expect(line).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}\S+ -> https:\/\/example\.com\/tail/)
    await service.stop('SIGTERM')
  })

  it('shows links in a terminal, as they are made', { timeout: 120_000 }, async () => {
    const service = await start()
    const args = ['stream', 'tail', '--topic', 'links', '--count', '2', '--data-dir', dataDir]
    const tail = spawn(process.execPath, ['dist/main.js', ...args])
    const output = text(tail.stdout)
    let ended = false
    const end = once(tail, 'exit').then(([code]) => {
      ended = true
      return code
    })
    for (let index = 0; !ended; index++) await shortenAt(service.url, `https://example.com/tail/${index}`)
    expect(await end).toBe(0)
    const line = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}\S+\/\w{7} -> https:\/\/example\.com\/tail\/\d+ \[made by admin\]$/
    const lines = (await output).trim().split('\n')
    expect(lines).toHaveLength(2)
    for (const each of lines) expect(each).toMatch(line)
    await service.stop('SIGTERM')
  })

  it('lists who may read', async () => {
    const service = await startProcess(dataDir)
    expect(await shortlink('stream', 'list')).toContain('Nobody may read')
    expect(await shortlink('stream', 'allow', '--login', 'admin')).toContain('There is no stream yet')
    expect(await shortlink('stream', 'list')).toMatch(/login +admin +operator/)
    expect(await shortlink('stream', 'deny', '--login', 'admin')).toContain('within 30 seconds')
    await service.stop('SIGTERM')
    expect((await runCommand(['stream', 'allow', '--data-dir', dataDir])).err).toContain('--organization GUID')
  })
})

/** Each visit carries a number in its referrer, so that what was read can be held against what was answered. */
function visitorsOf(url: string) {
  return async (answered: Set<string>, more: () => boolean): Promise<void> => {
    const visitUntil = async (name: string): Promise<void> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      for (let index = 0; more(); index++) {
        const referrer = `https://visit.example/${name}/${index}`
        if (!(await visit(url, referrer, agent))) break
        answered.add(referrer)
      }
      agent.destroy()
    }
    const run = Math.random().toString(36).slice(2)
    await Promise.all(Array.from({ length: 8 }, (_, number) => visitUntil(`${run}-${number}`)))
  }
}

function visit(url: string, referer: string, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent, headers: { referer, 'user-agent': 'Mozilla/5.0' } }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode === 301))
      response.on('error', () => resolve(false))
    })
    request.on('error', () => resolve(false))
  })
}
