/** The clock of a running service is set: two days ahead, and back. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { setClock, whyNoFakeClock as skip, withClockFrom } from '../support/fake-clock.js'
import { ended, startCommand } from '../support/run-command.js'
import { drained, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

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
    service = await startProcess(dataDir, ['--base-url', 'http://localhost:8080'], withClockFrom(clock))
    const { url, output } = service
    const troubles = async () => ((await (await fetch(`${url}/readyz`)).json()) as { troubles: string[] }).troubles
    const doctor = async () => (await ended(startCommand(['doctor', '--data-dir', dataDir]))).out
    expect(await troubles()).toEqual([])
    expect(await doctor()).not.toContain('future')

    setClock(clock, '+2d')
    await vi.waitFor(
      async () => expect(await troubles()).toEqual([expect.stringMatching(/^clock: it went ahead by 2 days at /)]),
      waitTimeout,
    )
    const { path } = await shortenAt(url, 'https://example.com/ahead')
    expect((await fetch(url + path, { redirect: 'manual' })).status).toBe(301)
    await drained(url)

    setClock(clock, '+0')
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
  },
)
