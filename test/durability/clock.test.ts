/** The clock of a running service is set: two days ahead, and back. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { setClock, whyNoFakeClock as skip, withClockFrom } from '../support/fake-clock.js'
import { ended, startCommand } from '../support/run-command.js'
import { drained, processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'
import { accept, startReceiver, status } from '../webhooks/receiver.js'

const waitTimeout = { timeout: 120_000, interval: 500 }

const folder = mkdtempSync(join(tmpdir(), 'shortlink-clock-'))
const dataDir = join(folder, 'data')
const clock = join(folder, 'clock')
let service: ServiceProcess | undefined
afterAll(async () => {
  await service?.stop('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

it.skipIf(skip)(
  `tells of a clock that was set, and of what came meanwhile${skip === undefined ? '' : ` (skipped: ${skip})`}`,
  { timeout: 400_000 },
  async () => {
    const flags = ['--base-url', 'http://localhost:8080', '--outgoing-allow', '127.0.0.0/8']
    service = await startProcess(dataDir, flags, withClockFrom(clock))
    const { url, output } = service
    const troubles = async () => ((await (await fetch(`${url}/readyz`)).json()) as { troubles: string[] }).troubles
    const doctor = async () => (await ended(startCommand(['doctor', '--data-dir', dataDir]))).out
    expect(await troubles()).toEqual([])
    expect(await doctor()).not.toContain('future')

    const receiver = await startReceiver(status(500))
    await addWebhook(url, receiver.url)
    setClock(clock, '+2d')
    await vi.waitFor(
      async () => expect(await troubles()).toEqual([expect.stringMatching(/^clock: it went ahead by 2 days at /)]),
      waitTimeout,
    )
    const { path } = await shortenAt(url, 'https://example.com/ahead')
    expect((await fetch(url + path, { redirect: 'manual' })).status).toBe(301)
    await drained(url)

    // The event of the link failed, and is to be sent again in two days.
    await vi.waitFor(() => expect(receiver.requests).not.toHaveLength(0), waitTimeout)
    setClock(clock, '+0')
    receiver.answerWith(accept)
    await vi.waitFor(
      async () => expect(await troubles()).toEqual([expect.stringMatching(/^clock: it went back by 2 days at /)]),
      waitTimeout,
    )
    const found = await doctor()
    expect(found).toMatch(/Links from the future: 1, until /)
    expect(found).toMatch(/Clicks from the future, until /)
    // Later visits work.
    expect((await fetch(url + path, { redirect: 'manual' })).status).toBe(301)
    await drained(url)
    expect(output()).toContain('the clock was set')
    await vi.waitFor(() => expect(receiver.events).not.toHaveLength(0), waitTimeout)
    await receiver.close()
  },
)

async function addWebhook(service: string, url: string): Promise<void> {
  const headers = { authorization: `Bearer ${processToken}`, 'content-type': 'application/json' }
  const found = await fetch(`${service}/v4/organizations`, { headers })
  const { organizations } = (await found.json()) as { organizations: { guid: string }[] }
  const body = { organization_guid: organizations[0]?.guid, name: 'One', event: 'link.created', url }
  const made = await fetch(`${service}/v4/webhooks`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(made.status).toBe(201)
}
