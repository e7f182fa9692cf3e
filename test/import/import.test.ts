import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { processToken, startProcess } from '../support/start-process.js'
import { countedClicks, type Expected, prepareLinks, sum, writeClicks } from './clicks-file.js'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
/** Several batches. */
const lines = 40_000

/** Copied for every test. */
const prepared = mkdtempSync(join(tmpdir(), 'shortlink-import-'))
let addresses: readonly string[]
let expected: Expected
beforeAll(async () => {
  mkdirSync(join(prepared, 'data'))
  addresses = await prepareLinks(join(prepared, 'data'), 300)
  expected = writeClicks(join(prepared, 'clicks.ndjson'), addresses, lines)
})
afterAll(() => rmSync(prepared, { recursive: true }))

let folder: string
let dataDir: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-import-'))
  cpSync(prepared, folder, { recursive: true })
  dataDir = join(folder, 'data')
  file = join(folder, 'clicks.ndjson')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function start(...flags: string[]): ChildProcess {
  const args = [main, 'import', 'clicks', file, '--data-dir', dataDir, '--domains', 'sho.rt', ...flags]
  return spawn(process.execPath, args, { cwd: folder, env: { PATH: process.env.PATH } })
}

async function importFile(...flags: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = start(...flags)
  if (!child.stdout || !child.stderr) throw new Error('the command has no output')
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: code as number | null, out, err }
}

function rejectedLines(): readonly { line: number; reason: string; text: string }[] {
  return readFileSync(`${file}.rejects.ndjson`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('shortlink import clicks', { timeout: 120_000 }, () => {
  it('counts every valid line once, lists the invalid ones, and changes nothing when run again', async () => {
    const first = await importFile('--json')
    expect(first).toMatchObject({ code: 0, err: '' })
    const robots = JSON.parse(first.out).imported - expected.total
    expect(robots).toBeGreaterThan(1000)
    expect(JSON.parse(first.out)).toMatchObject({ lines, before: 0, rejected: expected.rejected.length })
    expect(await countedClicks(dataDir, addresses)).toEqual(expected.counts)

    const rejected = rejectedLines()
    expect(rejected.map(({ line }) => line)).toEqual(expected.rejected)
    expect(rejected[0]).toMatchObject({ line: 100, reason: 'there is no short link sho.rt/unknown' })
    expect(JSON.parse(rejected[0]?.text ?? '')).toMatchObject({ link: 'sho.rt/unknown' })
    expect(rejected.slice(1, 5).map(({ reason }) => reason)).toEqual([
      'at must be a time such as 2026-01-31T23:59:59Z',
      'kind must be click, scan or button',
      'there is no short link nonsense',
      'the line is not a JSON object',
    ])

    const again = await importFile()
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('were not counted again') })
    expect(await countedClicks(dataDir, addresses)).toEqual(expected.counts)
    expect(rejectedLines()).toEqual(rejected)
  })

  it.each(['stopped', 'running'])('works in any order: totals first, then their links; service %s', async (how) => {
    const service = await startProcess(dataDir, ['--domains', 'sho.rt'])
    const made = async (keyword: string) => {
      const answer = await fetch(`${service.url}/v4/shortlinks`, {
        method: 'POST',
        headers: { authorization: `Bearer ${processToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ long_url: `https://example.com/old/${keyword}`, keyword }),
      })
      expect(await answer.json()).toMatchObject({ custom_shortlinks: [expect.stringContaining(`sho.rt/${keyword}`)] })
    }
    const imported = async () => {
      if (how === 'running') return importFile('--json')
      await service.stop('SIGTERM')
      return importFile('--json')
    }
    writeFileSync(
      file,
      [
        { link: 'sho.rt/old-one', at: '2026-02-01 08:15:00', count: 1_000_000 },
        { link: 'sho.rt/old-two', at: '2026-02-01 08:15:00', count: 12, ip: '203.0.113.9', country: 'DE' },
        { link: 'sho.rt/old-one', at: '2026-02-02 00:00:00', count: 3 },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    )
    const first = await importFile()
    expect(first).toMatchObject({ code: 0, err: '' })
    expect(first.out).toMatch(/^Imported 0 clicks/)
    expect(first.out).toContain('2 links are unknown: sho.rt/old-one, sho.rt/old-two')
    await made('old-one')
    expect(JSON.parse((await importFile('--json')).out)).toMatchObject({
      imported: 1_000_003,
      rejected: 1,
      before: 0,
    })
    await made('old-two')
    expect(JSON.parse((await imported()).out)).toMatchObject({ imported: 12, rejected: 0, before: 2 })
    expect(JSON.parse((await importFile('--json')).out)).toMatchObject({ imported: 0, rejected: 0, before: 3 })
    const again = how === 'running' ? service : await startProcess(dataDir, ['--domains', 'sho.rt'])
    const path = (id: string, facet: string) => `/v4/shortlinks/${id}/clicks${facet}`
    expect(await ask(again.url, path('sho.rt/old-one', '/summary?unit=day&units=-1'))).toMatchObject({
      total_clicks: 1_000_003,
    })
    expect(await ask(again.url, path('sho.rt/old-two', '/summary?unit=day&units=-1'))).toMatchObject({
      total_clicks: 12,
    })
    expect(await ask(again.url, '/v4/shortlinks/sho.rt/old-two/countries?unit=day&units=-1')).toMatchObject({
      metrics: [{ value: 'DE', clicks: 12 }],
    })
    await again.stop('SIGTERM')
  })

  it('resumes after a kill, and counts nothing twice', async () => {
    const rejects = `${file}.rejects.ndjson`
    // When the rejected lines of the first batch are written, and those of the second: some 190 bytes for each of 260
    // and 140.
    for (const killAt of [1, 60_000]) {
      const child = start()
      const ended = once(child, 'exit')
      // Every batch has rejected lines, so the file grows during the import.
      while (child.exitCode === null && !(existsSync(rejects) && statSync(rejects).size >= killAt)) {
        await new Promise((done) => setTimeout(done, 1))
      }
      child.kill('SIGKILL')
      await ended
    }
    const rest = await importFile('--json')
    expect(rest).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(rest.out).before).toBeGreaterThan(0)
    expect(await countedClicks(dataDir, addresses)).toEqual(expected.counts)
    expect(rejectedLines().map(({ line }) => line)).toEqual(expected.rejected)
  })

  it('works through the running service without interrupting it, and can be resumed', async () => {
    const service = await startProcess(dataDir, ['--domains', 'sho.rt'])
    const [ran, joined] = await Promise.all([importFile('--json'), importFile('--json')])
    expect([ran, joined]).toMatchObject([
      { code: 0, err: '' },
      { code: 0, err: '' },
    ])
    const word = 'sho.rt/Word'
    const clicks = (await ask(service.url, `/v4/shortlinks/${word}/clicks/summary`)) as { total_clicks: number }
    const own = Object.entries(expected.counts).filter(([key]) => key.startsWith(`${word} click`))
    expect(clicks.total_clicks).toBe(sum(Object.fromEntries(own)))
    expect((await importFile()).out).toContain('were not counted again')
    expect(await service.stop('SIGTERM')).toBe(0)
    expect(await countedClicks(dataDir, addresses)).toEqual(expected.counts)
  })

  it('resumes after the service was killed', async () => {
    const service = await startProcess(dataDir, ['--domains', 'sho.rt'])
    const child = start()
    const ended = once(child, 'exit')
    while (child.exitCode === null && !existsSync(`${file}.rejects.ndjson`)) {
      await new Promise((done) => setTimeout(done, 1))
    }
    await service.stop('SIGKILL')
    await ended
    const second = await startProcess(dataDir, ['--domains', 'sho.rt'])
    expect(await importFile()).toMatchObject({ code: 0, err: '' })
    expect(await second.stop('SIGTERM')).toBe(0)
    expect(await countedClicks(dataDir, addresses)).toEqual(expected.counts)
    expect(rejectedLines().map(({ line }) => line)).toEqual(expected.rejected)
  })

  it('reports errors in one sentence', async () => {
    file = join(folder, 'missing.ndjson')
    const missing = `Cannot import ${file}: There is no such file.\n`
    expect(await importFile()).toEqual({ code: 1, out: '', err: missing })
    const service = await startProcess(dataDir, ['--domains', 'sho.rt'])
    expect(await importFile()).toEqual({ code: 1, out: '', err: missing })
    await service.stop('SIGTERM')
    dataDir = join(folder, 'elsewhere')
    expect(await importFile()).toMatchObject({ code: 1, err: expect.stringContaining('There is no data directory') })
  })
})

async function ask(url: string, path: string): Promise<unknown> {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${processToken}` } })
  return response.json()
}
