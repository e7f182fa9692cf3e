/** The service itself dies while it publishes to real daemons: every click that was answered arrives all the same. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import nsqjs from 'nsqjs'
import { describe, expect, it } from 'vitest'
import { goNsq } from '../support/go-nsq.js'
import { processToken, shortenAt, startProcess } from '../support/start-process.js'
import { startRealNsqd } from './nsq-daemons.js'
import { eventually } from './nsqd/subject.js'
import type { Received } from './readers.js'

const programs = goNsq()
const skip = 'skip' in programs ? programs.skip : undefined
const title = skip === undefined ? '' : ` (skipped: ${skip})`
const { nsqd: nsqdProgram = '' } = 'skip' in programs ? {} : programs

describe.skipIf(skip !== undefined)(`a service that is killed while it publishes${title}`, () => {
  it('publishes what was left when it is started again, at least once', { timeout: 120_000 }, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-crash-nsqd-'))
    // It is not the one that dies, so it need not write every message by itself.
    const nsqd = await startRealNsqd(nsqdProgram, { flags: ['--sync-every=2500'] })
    // One base URL for all of its lives: each listens on another port.
    const flags = ['--base-url', 'http://localhost:8080', '--nsqd-tcp-addresses', nsqd.tcp]
    let service = await startProcess(dataDir, flags)
    const reader = { seen: new Map<string, string>(), close: () => {} }
    try {
      const topic = await allow(service.url)
      const consumer = new nsqjs.Reader(topic, 'archive', { nsqdTCPAddresses: [nsqd.tcp], maxInFlight: 500 })
      consumer.on('message', (message) => {
        const { event_id, a } = message.json() as Received & { a: string }
        reader.seen.set(event_id, a)
        message.finish()
      })
      consumer.connect()
      const linksSeen = new Set<string>()
      const follower = new nsqjs.Reader(topic.replace('clicks', 'links'), 'archive', {
        nsqdTCPAddresses: [nsqd.tcp],
        maxInFlight: 500,
      })
      follower.on('message', (message) => {
        linksSeen.add((message.json() as { link: string }).link)
        message.finish()
      })
      follower.connect()
      reader.close = () => {
        consumer.close()
        follower.close()
      }

      const { path } = await shortenAt(service.url, 'https://example.com/crash')
      const answered: string[] = []
      const made: string[] = []
      for (let round = 0; round < 2; round++) {
        const [before, until] = [answered.length, Date.now() + 700]
        while (Date.now() < until) {
          answered.push(...(await clicks(service.url + path, answered.length)))
          made.push((await shortenAt(service.url, `https://example.com/${made.length}`)).id)
        }
        await service.stop('SIGKILL')
        expect(answered.length).toBeGreaterThan(before + 10)
        service = await startProcess(dataDir, flags)
      }
      await eventually(async () => {
        const arrived = new Set(reader.seen.values())
        expect(answered.filter((agent) => !arrived.has(agent))).toEqual([])
        expect(made.filter((id) => !linksSeen.has(id))).toEqual([])
      })
    } finally {
      reader.close()
      await service.stop('SIGKILL')
      await nsqd.stop()
      rmSync(dataDir, { recursive: true })
    }
  })
})

/** Ten at once, told apart by their agents; answers those that were redirected. */
async function clicks(url: string, from: number): Promise<readonly string[]> {
  const agents = Array.from({ length: 10 }, (_, index) => `Mozilla/5.0 (X11; Linux x86_64) Number/${from + index}`)
  const answers = await Promise.all(
    agents.map((agent) => fetch(url, { redirect: 'manual', headers: { 'user-agent': agent } })),
  )
  return agents.filter((_, index) => answers[index]?.status === 301)
}

async function allow(url: string): Promise<string> {
  const headers = { authorization: `Bearer ${processToken}` }
  const groups = (await (await fetch(`${url}/v4/groups`, { headers })).json()) as {
    groups: readonly { organization_guid: string }[]
  }
  const organization = groups.groups[0]?.organization_guid
  const allowed = await fetch(`${url}/v4/organizations/${organization}/stream_access`, { method: 'PUT', headers })
  if (!allowed.ok) throw new Error(`access to the stream was answered with ${allowed.status}`)
  return `clicks.${organization}`
}
