import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

/** What is said of redirects must not stop them: the log may be a file on a full disk, or a pipe that nobody reads. */
describe('a service that cannot write its log', () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'shortlink-unheard-'))
  })
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

  async function expectRedirects(service: ServiceProcess): Promise<void> {
    const { path } = await shortenAt(service.url, 'https://example.com/unheard')
    // Each makes it say something.
    for (let round = 0; round < 3; round++) await fetch(`${service.url}/v4/shorten`, { method: 'POST' })
    expect((await fetch(service.url + path, { redirect: 'manual' })).status).toBe(301)
  }

  it.skipIf(!existsSync('/dev/full'))('goes on when the disk is full, also when asked to end', async () => {
    const service = await startProcess(dataDir, [], 'exec >/dev/full')
    await expectRedirects(service)
    expect(await service.stop('SIGTERM')).toBe(0)
  })

  it('goes on when nobody reads it', async () => {
    const service = await startProcess(dataDir)
    service.child.stdout?.destroy()
    service.child.stderr?.destroy()
    await expectRedirects(service)
    expect(await service.stop('SIGTERM')).toBe(0)
  })
})
