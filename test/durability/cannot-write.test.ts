/** Disks that take no more: full, or immutable. Visitors are redirected, changes are refused, and the operator is told. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { read } from '../stream/reading.js'
import { freePort } from '../support/free-port.js'
import { ended, startCommand } from '../support/run-command.js'
import { processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'
import { accept, type Receiver, startReceiver, status } from '../webhooks/receiver.js'

let home: string
let service: ServiceProcess | undefined
let receiver: Receiver | undefined
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'shortlink-no-write-'))
})
afterEach(async () => {
  await service?.stop('SIGKILL')
  service = undefined
  await receiver?.close()
  receiver = undefined
  spawnSync('umount', ['-l', home])
  thaw()
  rmSync(home, { recursive: true, force: true })
})

const can = (command: string, ...args: string[]) => spawnSync(command, args).status === 0
const canMount = can('unshare', '-m', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt')
const canFreeze = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-immutable-'))
  const frozen = can('chattr', '+i', folder)
  if (frozen) can('chattr', '-i', folder)
  rmSync(folder, { recursive: true })
  return frozen
})()

// Its exit code is 1 because of control.sock, which cannot be marked.
const freeze = () => spawnSync('chattr', ['-R', '+i', join(home, 'data')])
const thaw = () => spawnSync('chattr', ['-R', '-i', join(home, 'data')])

const shorten = (url: string, longUrl: string) =>
  fetch(`${url}/v4/shorten`, {
    method: 'POST',
    headers: { authorization: `Bearer ${processToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ long_url: longUrl }),
  })
/** Answers the organization. */
async function addWebhook(url: string, to: string): Promise<string> {
  const headers = { authorization: `Bearer ${processToken}`, 'content-type': 'application/json' }
  const { organizations } = (await (await fetch(`${url}/v4/organizations`, { headers })).json()) as {
    organizations: { guid: string }[]
  }
  const guid = organizations[0]?.guid ?? ''
  const body = { organization_guid: guid, name: 'Frozen', event: 'engagement', url: to }
  const answer = await fetch(`${url}/v4/webhooks`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(answer.status).toBe(201)
  return guid
}
const visit = async (url: string, path: string) => (await fetch(url + path, { redirect: 'manual' })).status
const readiness = async (url: string) => (await (await fetch(`${url}/readyz`)).json()) as Readiness

interface Readiness {
  readonly status: string
  readonly troubles: readonly string[]
  readonly journal: { readonly recorded: number; readonly lost: number; readonly lostEver: number }
}

/** In a process of its own: SQLite shares the index of a file between the connections of one. */
const runCommand = (args: readonly string[]) => ended(startCommand(args))

describe.skipIf(!canMount)(`a full disk${canMount ? '' : ' (skipped: mounting needs root)'}`, () => {
  it('refuses changes with STORAGE_FULL, logs it once, keeps the number of lost clicks, and stops no command', {
    timeout: 120_000,
  }, async () => {
    expect(can('mount', '-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', home)).toBe(true)
    const dataDir = join(home, 'data')
    const flags = ['--log-format', 'json', '--base-url', 'http://localhost:8080']
    service = await startProcess(dataDir, flags)
    const { url } = service
    const { path } = await shortenAt(url, 'https://example.com/before')
    const filler = join(home, 'filler')
    const fill = () => spawnSync('sh', ['-c', `cat /dev/zero >> '${filler}' 2>/dev/null`])
    fill()

    const answers: Response[] = []
    for (let n = 0; n < 200 && answers.filter(({ status }) => status === 503).length < 10; n++) {
      answers.push(await shorten(url, `https://example.com/${n}/${'x'.repeat(1900)}`))
    }
    const refused = answers.filter(({ status }) => status >= 400)
    expect(refused).toHaveLength(10)
    for (const answer of refused) {
      expect(answer.status).toBe(503)
      expect(answer.headers.get('retry-after')).toBe('60')
      expect(await answer.json()).toMatchObject({ message: 'STORAGE_FULL', resource: 'shortlinks' })
    }
    const v3 = await fetch(
      `${url}/v3/shorten?access_token=${processToken}&longUrl=${encodeURIComponent(`https://example.com/v3/${'x'.repeat(1900)}`)}`,
    )
    expect(await v3.json()).toMatchObject({ status_code: 503, status_txt: 'STORAGE_FULL' })
    expect(v3.headers.get('retry-after')).toBe('60')

    let visits = 0
    let now = await readiness(url)
    for (; visits < 3000 && now.journal.lost < 20; now = await readiness(url)) {
      const some = Array.from({ length: 20 }, () => visit(url, path))
      visits += some.length
      expect(new Set(await Promise.all(some))).toEqual(new Set([301]))
    }
    expect(now.journal.lost).toBeGreaterThanOrEqual(20)
    expect(now.journal.recorded + now.journal.lost).toBe(visits)
    expect(now.status).toBe('degraded')
    expect(now.troubles.join('\n')).toMatch(/records: all changes are refused\. The disk is full/)
    expect(service.output().match(/"request failed"/g)).toHaveLength(1)
    expect(service.output().match(/cannot write the records/g)).toHaveLength(1)
    const { lost } = now.journal
    await service.stop('SIGKILL')

    const examined = await runCommand(['doctor', '--data-dir', dataDir])
    for (const area of ['data directory', 'disk', 'open files', 'engines', 'backups', 'service'])
      expect(examined.out).toMatch(new RegExp(`^(ok|warning|wrong) +${area} `, 'm'))
    expect(examined.out.match(/^wrong.*(disk is full|are free)/gm)).toHaveLength(1)
    // As after a regular stop: a start has to make them, and cannot.
    for (const end of ['-wal', '-shm']) rmSync(join(dataDir, `records.sqlite${end}`), { force: true })
    fill()
    const started = await runCommand(['serve', '--data-dir', dataDir, '--port', String(await freePort())])
    expect(started).toMatchObject({ code: 1, err: expect.stringContaining('The disk is full.') })

    rmSync(filler)
    service = await startProcess(dataDir, flags)
    expect((await readiness(service.url)).journal).toMatchObject({ lost: 0, lostEver: lost })
    expect(service.output()).toContain(`"lost":${lost}`)
    const figures = await (await fetch(`${service.url}/metrics`)).text()
    expect(figures).toContain(`shortlink_journal_lost_clicks_total ${lost}`)
    expect((await runCommand(['doctor', '--data-dir', dataDir])).out).toContain(`${lost} clicks were not recorded`)
    expect((await shorten(service.url, 'https://example.com/after')).ok).toBe(true)
  })
})

const immutable = `an immutable data directory${canFreeze ? '' : ' (skipped: chattr needs root and ext4, btrfs or XFS)'}`
describe.skipIf(!canFreeze)(immutable, () => {
  it('goes on redirecting, refuses changes, and heals; so does its stream', { timeout: 120_000 }, async () => {
    const dataDir = join(home, 'data')
    receiver = await startReceiver()
    const port = await freePort()
    const stream = ['--nsqd-port', String(port), '--outgoing-allow', '127.0.0.0/8']
    service = await startProcess(dataDir, ['--log-format', 'json', ...stream])
    const { url } = service
    const { path } = await shortenAt(url, 'https://example.com/frozen')
    const organization = await addWebhook(url, receiver.url)
    await runCommand(['stream', 'allow', '--organization', organization, '--data-dir', dataDir])
    const held: { finish(): void }[] = []
    const reading = read({
      topic: `clicks.${organization}`,
      token: processToken,
      dataDir,
      place: { nsqdTCPAddresses: [`localhost:${port}`] },
      answer: (message) => held.push(message),
    })
    await reading.until(({ connections }) => connections === 1)
    const received = (least: number) =>
      vi.waitUntil(() => (receiver?.events.length ?? 0) >= least, { timeout: 60_000, interval: 100 })
    expect(await visit(url, path)).toBe(301)
    await received(1)
    // A click that neither the webhook nor the reader has finished: what becomes of it is to be saved.
    receiver.answerWith(status(500))
    expect(await visit(url, path)).toBe(301)
    await vi.waitUntil(() => (receiver?.requests.length ?? 0) >= 2, { timeout: 60_000, interval: 100 })
    await reading.until(() => held.length >= 2)
    // Pages that are written back are mapped read-only until they are written again: then the system asks the file.
    for (const name of ['records', 'stream']) spawnSync('sync', [join(dataDir, `${name}.sqlite-shm`)])
    freeze()
    for (let n = 0; n < 5; n++) {
      const answer = await shorten(url, `https://example.com/frozen-${n}`)
      expect([answer.status, await answer.json()]).toMatchObject([503, { message: 'STORAGE_FULL' }])
      expect(await visit(url, path)).toBe(301)
    }
    // The stream saves what is finished several times a second.
    for (const message of held) message.finish()
    receiver.answerWith(accept)
    await vi.waitUntil(async () => (await readiness(url)).troubles.some((each) => each.startsWith('stream:')), {
      timeout: 90_000,
      interval: 200,
    })
    expect(service.child.exitCode ?? service.child.signalCode).toBeNull()
    const messages = service.output().match(/"level":"error".*"msg":"[^"]*"/g) ?? []
    const repeated = messages
      .map((line) => line.replace(/.*"msg":/, ''))
      .filter((each, at, all) => all.indexOf(each) !== at)
    expect(repeated).toEqual([])
    expect(await readiness(url)).toMatchObject({ status: 'degraded', journal: { lost: 5 } })
    const examined = await runCommand(['doctor', '--data-dir', dataDir])
    expect(examined.out).toMatch(/wrong +data directory +.* is marked as immutable/)

    thaw()
    reading.close()
    expect((await shorten(url, 'https://example.com/healed')).ok).toBe(true)
    await vi.waitFor(
      async () => {
        expect(await visit(url, path)).toBe(301)
        expect(await readiness(url)).toMatchObject({ status: 'ready', troubles: [] })
      },
      { timeout: 60_000, interval: 500 },
    )
    expect(service.output()).toMatch(/"lost":5,.*the click journal is writable again/)
    expect(await service.stop('SIGTERM')).toBe(0)
  })
})
