/** Webhooks of a service that is killed again and again: what was answered reaches the receiver at least once. */
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startRealNsqd } from '../stream/nsq-daemons.js'
import { eventually } from '../stream/nsqd/subject.js'
import { freePort } from '../support/free-port.js'
import { goNsq } from '../support/go-nsq.js'
import { rounds } from '../support/rounds.js'
import { runCommand } from '../support/run-command.js'
import { processToken, startProcess } from '../support/start-process.js'
import { accept, startReceiver } from './receiver.js'

const programs = goNsq()
const skip = 'skip' in programs ? programs.skip : undefined

const kills = rounds
const visitsEach = 200

describe('a service with webhooks', () => {
  it(
    'loses no click for a receiver when it is killed, and sends none of others',
    {
      timeout: 300_000 * rounds,
    },
    () => killed([]),
  )

  it.skipIf(skip !== undefined)(
    `likewise with a real nsqd${skip === undefined ? '' : ` (skipped: ${skip})`}`,
    {
      timeout: 300_000 * rounds,
    },
    async () => {
      const daemon = await startRealNsqd('skip' in programs ? '' : programs.nsqd)
      await killed(['--nsqd-http-addresses', daemon.http.replace('http://', '')]).finally(() => daemon.stop())
    },
  )
})

async function killed(flags: readonly string[]): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-webhooks-'))
  const receiver = await startReceiver(accept)
  const port = await freePort()
  // On the same port each time: the link's domain has it in its name.
  const start = () => startProcess(dataDir, ['--outgoing-allow', '127.0.0.0/8', ...flags], '', port)
  let service = await start()
  // biome-ignore lint/suspicious/noExplicitAny: looks into answers of every shape
  const ask = async (path: string, body?: object): Promise<any> => {
    const headers = { authorization: `Bearer ${processToken}`, 'content-type': 'application/json' }
    const sent = body && { method: 'POST', body: JSON.stringify(body) }
    return (await fetch(service.url + path, { headers, ...sent })).json()
  }
  const [{ guid: own }] = (await ask('/v4/organizations')).organizations
  const other = await shortlink(dataDir, 'organization', 'create', 'Another', '--admin', 'admin')
  const group = await shortlink(dataDir, 'group', 'create', 'Theirs', '--organization', other.guid)
  const made = async (body: object) => `/${(await ask('/v4/shortlinks', body)).id.split('/')[1]}`
  const path = await made({ long_url: 'https://example.com/own' })
  const foreign = await made({ long_url: 'https://example.com/foreign', group_guid: group.guid })
  await ask('/v4/webhooks', { organization_guid: own, name: 'One', event: 'engagement', url: receiver.url })

  const answered = new Set<string>()
  const seen = () => new Set(receiver.events.map(({ referrer }) => referrer))
  for (let round = 0; round < kills; round++) {
    const wanted = answered.size + visitsEach
    const isEnough = () => answered.size >= wanted
    await Promise.all(
      [0, 1, 2, 3].map((visitor) => visits(service.url + path, `${round}/${visitor}`, answered, isEnough)),
    )
    await visits(service.url + foreign, `foreign/${round}`, new Set(), () => Math.random() < 0.1)
    // In the middle of deliveries.
    await eventually(async () => expect(seen().size).toBeGreaterThan(round * 10))
    await service.stop('SIGKILL')
    service = await start()
  }
  const missing = () => [...answered].filter((referrer) => !seen().has(referrer))
  await eventually(async () => expect(missing()).toEqual([]))
  expect([...seen()].filter((referrer) => referrer.includes('foreign'))).toEqual([])
  expect(await service.stop('SIGTERM')).toBe(0)
  await receiver.close()
  rmSync(dataDir, { recursive: true, force: true })
}

/** A command of the operator. */
async function shortlink(dataDir: string, ...args: readonly string[]): Promise<{ guid: string }> {
  return JSON.parse((await runCommand([...args, '--json', '--data-dir', dataDir])).out)
}

/** Each visit carries a number in its referrer, so that what arrived can be held against what was answered. */
async function visits(url: string, name: string, answered: Set<string>, isEnough: () => boolean): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let index = 0; !isEnough(); index++) {
    const referer = `https://visit.example/${name}/${index}`
    if (await isRedirected(url, referer, agent)) answered.add(referer)
  }
  agent.destroy()
}

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'

function isRedirected(url: string, referer: string, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent, headers: { referer, 'user-agent': browser } }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode === 301))
      response.on('error', () => resolve(false))
    })
    request.on('error', () => resolve(false))
  })
}
