import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { rounds } from '../../../test/support/rounds.js'
import { aQuery } from '../../core/clicks/click-log.contract.js'
import { aRawClick } from '../../core/clicks/raw-click.builder.js'
import type { Target } from '../../core/links/link.js'
import { Closing } from '../../lib/closing.js'
import { openDuckdbClickLog } from '../../storage/duckdb/click-log.js'
import { FileJournal } from '../../storage/journal/journal.js'
import { segmentsIn } from '../../storage/journal/segments.js'
import { openRecords } from '../stores/open-records.js'
import { type ClickThread, startClickThread } from './click-thread.js'

const log = pino({ level: 'silent' })
/** Milliseconds until a restarted thread must be back. Loading DuckDB takes seconds on a busy machine. */
const waitTimeout = 90_000

const workers: Worker[] = []
const notice = (worker: Worker) => workers.push(worker)
beforeAll(() => void process.on('worker', notice))
afterAll(() => void process.off('worker', notice))
function newest(): Worker {
  const worker = workers.at(-1)
  if (!worker) throw new Error('no thread was started')
  return worker
}

const target: Target = {
  address: 'sho.rt/a',
  linkId: 'sho.rt/a',
  groupGuid: 'Bgroup',
  longUrl: 'https://example.com/',
  createdAt: 0,
  expiresAt: undefined,
  deletedAt: undefined,
  rules: undefined,
}

describe('the click thread', () => {
  let dataDir: string
  let journal: FileJournal
  let thread: ClickThread
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'click-thread-'))
    journal = new FileJournal(join(dataDir, 'journal'), { durability: 'normal' })
    thread = await start()
  })
  afterEach(async () => {
    journal.close()
    await thread.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const start = () => startClickThread({ dataDir, trustProxy: 0, geography: [] }, log)

  /** Resolves once the clicks are in the journal. */
  const record = (clicks: number, input: Parameters<typeof aRawClick>[0] = {}) =>
    Promise.all(
      Array.from({ length: clicks }, () => new Promise<void>((done) => journal.record(target, aRawClick(input), done))),
    )
  /** A message that no handle sends, so the thread crashes as with a bug. */
  const crash = async () => {
    const died = new Promise((done) => newest().once('exit', done))
    newest().postMessage(null)
    await died
  }
  const total = async () => (await thread.metrics.count(aQuery()))[0]?.count

  it('delivers clicks from the journal to reports', async () => {
    const at = Date.now()
    await record(3, { at, visitor: '8.8.8.8' })
    await record(2, { at: at + 1, method: 'HEAD' })
    await thread.drained(journal.status().lastRow)
    expect(await total()).toBe(3)
    expect(await thread.metrics.firstAt(aQuery())).toBe(at)
    const status = await thread.status()
    expect(status).toMatchObject({ row: journal.status().lastRow, failures: 0, lastFailure: undefined, restarts: 0 })
    expect(status.delivered).toEqual({ human: 3, bot: 0, preview: 0, prefetch: 0, head: 2 })
    expect(status.lagMs).toBe(0)
  })

  it('answers queries while it drains a backlog', async () => {
    for (let turn = 0; turn < 40; turn++) await record(500)
    let drained = false
    const done = thread.drained(journal.status().lastRow).then(() => {
      drained = true
    })
    const counts: number[] = []
    while (!drained) counts.push((await total()) ?? 0)
    await done
    expect(await total()).toBe(20_000)
    expect(counts).toEqual([...counts].sort((a, b) => a - b))
  })

  it('delivers the rest of the journal on close', async () => {
    await record(2_000)
    await thread.close()
    const clicks = await openDuckdbClickLog(join(dataDir, 'clicks.duckdb'))
    expect((await clicks.count(aQuery()))[0]?.count).toBe(2_000)
    await clicks.close()
    await expect(thread.metrics.count(aQuery())).rejects.toMatchObject({ code: 'TEMPORARILY_UNAVAILABLE' })
  })

  it.each([
    ['deletes', undefined],
    ['keeps, for a command,', true],
  ])('%s journal files that were counted', async (_, keepsJournal) => {
    await thread.close()
    await record(3)
    const files = () => segmentsIn(join(dataDir, 'journal')).map(({ firstRow }) => firstRow)
    const [first] = files()
    // It begins another file, so that the first one could be deleted.
    journal.close()
    journal = new FileJournal(join(dataDir, 'journal'), { durability: 'normal', delivered: 0 })
    thread = await startClickThread(
      { dataDir, trustProxy: 0, geography: [], ...(keepsJournal && { keepsJournal }) },
      log,
    )
    await record(1)
    await thread.drained(journal.status().lastRow)
    await thread.close()
    expect([files().length > 0, files().includes(first ?? -1)]).toEqual([true, keepsJournal === true])
    thread = await start()
    expect(await total()).toBe(4)
  })

  it('continues where it stopped', async () => {
    await record(5)
    await thread.close()
    await record(5)
    thread = await start()
    await thread.drained(journal.status().lastRow)
    expect(await total()).toBe(10)
  })

  it.each([
    ['its last rows', (file: string) => truncateSync(file, readFileSync(file).indexOf('\n') + 1)],
    ['its file', (file: string) => rmSync(file)],
  ])('counts clicks once after a crash of the machine in which the journal lost %s', async (_, lose) => {
    for (let turn = 0; turn < 5; turn++) await record(2)
    await thread.close()
    // Not closed, like a crash.
    const [segment] = segmentsIn(join(dataDir, 'journal'))
    lose(segment?.file ?? '')

    thread = await start()
    journal = new FileJournal(join(dataDir, 'journal'), {
      durability: 'normal',
      delivered: thread.delivered ?? 'unknown',
    })
    await record(1)
    await thread.drained(journal.status().lastRow)
    expect(await total()).toBe(11)
    await record(1)
    await thread.close()
    thread = await start()
    await thread.drained(journal.status().lastRow)
    expect(await total()).toBe(12)
  })

  it('restarts when it dies: pending calls are rejected, no click is lost or counted twice', {
    timeout: 3 * waitTimeout,
  }, async () => {
    await record(5)
    await thread.drained(journal.status().lastRow)
    await vi.waitFor(async () => expect((await thread.status()).delivered.human).toBe(5), { timeout: waitTimeout })

    const waiting = thread.drained(journal.status().lastRow + 1_000)
    const refused = expect(waiting).rejects.toMatchObject({ code: 'TEMPORARILY_UNAVAILABLE' })
    await crash()
    await refused
    await expect(thread.metrics.count(aQuery())).rejects.toThrow('Try again in a few seconds')
    expect((await thread.status()).lastFailure).toMatch('the click thread died')

    await record(5)
    await vi.waitFor(async () => expect(await total()).toBe(10), { timeout: waitTimeout })
    // The clicks are in reports a moment before the thread has counted them as delivered.
    await vi.waitFor(
      async () =>
        expect(await thread.status()).toMatchObject({ restarts: 1, lastFailure: undefined, delivered: { human: 10 } }),
      { timeout: waitTimeout },
    )
  })

  it('can die repeatedly in the middle of its work', { timeout: 5 * waitTimeout * rounds }, async () => {
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < 20; turn++) await record(200)
      await crash()
      await vi.waitFor(() => total(), { timeout: waitTimeout })
    }
    await thread.drained(journal.status().lastRow)
    expect(await total()).toBe(4_000 * rounds)
  })

  it('can be closed during a restart', async () => {
    await record(1)
    await crash()
    await thread.close()
    thread = await start()
    await thread.drained(journal.status().lastRow)
    expect(await total()).toBe(1)
  })
})

it('reports in one sentence why the click thread cannot start', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'click-thread-'))
  const start = (geography: readonly string[]) => startClickThread({ dataDir, trustProxy: 0, geography }, log)
  const missing = join(dataDir, 'missing.mmdb')
  await expect(start([missing])).rejects.toMatchObject({
    name: 'OperatorError',
    message: expect.stringContaining(`Cannot use the geography file ${missing}`),
  })
  rmSync(dataDir, { recursive: true, force: true })
})

describe('a click thread whose click log cannot be opened', () => {
  let dataDir: string
  let closing: Closing
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'click-thread-'))
    closing = new Closing()
    const records = await openRecords(place())
    await records.migrate()
    await records.close()
  })
  afterEach(async () => {
    await closing.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const place = () => ({ dataDir, databaseUrl: undefined })
  const options = () => ({ dataDir, trustProxy: 0, geography: [] })
  /** What the thread opens before the click log, and must close again. */
  const stream = () => ({ records: place(), daemons: undefined })

  it.each([
    ['with a stream', stream],
    ['without one', () => undefined],
  ])('does not start if the operator must fix it, and leaves nothing open, %s', async (_, streamOf) => {
    const server = createServer((_request, response) => {
      response.writeHead(403, { 'X-ClickHouse-Exception-Code': '516' }).end('Code: 516. Authentication failed')
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    closing.add({ close: () => void server.close() })
    const clickhouseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await expect(startClickThread({ ...options(), clickhouseUrl, stream: streamOf() }, log)).rejects.toThrow(
      'refuses the user "default"',
    )
  })

  it.each([
    ['with a stream', stream],
    ['without one', () => undefined],
  ])('starts without a damaged file, and counts waiting clicks once it is repaired, %s', async (_, streamOf) => {
    const file = join(dataDir, 'clicks.duckdb')
    writeFileSync(file, 'garbage')
    const thread = closing.add(await startClickThread({ ...options(), stream: streamOf() }, log))
    expect(thread.delivered).toBeUndefined()
    const journal = closing.add(
      new FileJournal(join(dataDir, 'journal'), { durability: 'normal', delivered: thread.delivered ?? 'unknown' }),
    )
    await new Promise<void>((done) => journal.record(target, aRawClick({}), done))
    expect(await thread.status()).toMatchObject({ lastFailure: expect.stringContaining('repair clicks') })
    await expect(thread.metrics.count(aQuery())).rejects.toMatchObject({ code: 'TEMPORARILY_UNAVAILABLE' })
    expect(readFileSync(file, 'utf8')).toBe('garbage')
    rmSync(file)
    await thread.drained(journal.status().lastRow)
    expect((await thread.metrics.count(aQuery()))[0]?.count).toBe(1)
    expect(await thread.status()).toMatchObject({ lastFailure: undefined })
  })
})
