import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { segmentsIn } from '../../src/storage/journal/segments.js'
import { drained, processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'shortlink-power-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

describe('after the machine died', { timeout: 120_000 }, () => {
  it.each([
    ['the last lines of the journal', (file: string) => truncateSync(file, readFileSync(file).indexOf('\n') + 1)],
    ['the journal file', (file: string) => rmSync(file)],
  ])('and %s with it, what was counted stays counted, and new clicks are counted once', async (_, lose) => {
    const flags = ['--base-url', 'http://sho.rt']
    const first = await startProcess(dataDir, flags)
    const { id, path } = await shortenAt(first.url, 'https://example.com/')
    for (let visits = 0; visits < 5; visits++) await visit(first, path)
    await drained(first.url)
    await first.stop('SIGKILL')
    // The click log is on disk with its cursor; the journal's lines need not be, with durability "normal".
    const journal = segmentsIn(join(dataDir, 'journal'))
    expect(journal).toHaveLength(1)
    lose(journal[0]?.file ?? '')

    const second = await startProcess(dataDir, flags)
    for (let visits = 0; visits < 2; visits++) await visit(second, path)
    await drained(second.url)
    expect(await clicksOf(second, id)).toBe(7)
    expect(await second.stop('SIGTERM')).toBe(0)

    const third = await startProcess(dataDir, flags)
    await visit(third, path)
    await drained(third.url)
    expect(await clicksOf(third, id)).toBe(8)
    expect(await third.stop('SIGTERM')).toBe(0)
  })
})

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'

async function visit({ url }: ServiceProcess, path: string): Promise<void> {
  const answer = await fetch(url + path, { redirect: 'manual', headers: { 'user-agent': browser } })
  expect(answer.status).toBe(301)
}

async function clicksOf({ url }: ServiceProcess, id: string): Promise<number> {
  const headers = { authorization: `Bearer ${processToken}` }
  const answer = await fetch(`${url}/v4/shortlinks/${id}/clicks/summary?unit=day&units=-1`, { headers })
  return ((await answer.json()) as { total_clicks: number }).total_clicks
}
