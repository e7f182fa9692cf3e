import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { examineBackups, judgeBackups } from './backups.js'
import { judgeProxies } from './base-url.js'
import { examineClock, judgeOffset } from './clock.js'
import { examineDataDirectory } from './data-directory.js'
import { examineDisk, judgeDisk } from './disk.js'
import { examineMigrations } from './migrations.js'
import { examineOpenFiles } from './process-limits.js'
import { judgeLost, judgeTrouble } from './troubles.js'

const gigabyte = 1e9
const day = 86_400_000
const now = Date.parse('2026-11-16T12:00:00Z')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-doctor-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the data directory', () => {
  it('is in order when only its owner can use it', () => {
    writeFileSync(join(folder, 'records.sqlite'), '', { mode: 0o600 })
    expect(examineDataDirectory(folder)).toEqual([
      { area: 'data directory', state: 'ok', message: `${folder} can be written by its owner alone.` },
    ])
  })

  it('is wrong when it is missing, or a file', () => {
    const missing = join(folder, 'nowhere')
    expect(examineDataDirectory(missing)).toMatchObject([{ state: 'wrong', message: `${missing} does not exist.` }])
    writeFileSync(join(folder, 'file'), '')
    expect(examineDataDirectory(join(folder, 'file'))).toMatchObject([{ state: 'wrong' }])
  })

  it('is wrong when a restore into it was interrupted', () => {
    mkdirSync(join(folder, 'restore.unfinished'), { mode: 0o700 })
    expect(examineDataDirectory(folder)).toMatchObject([
      { state: 'wrong', remedy: 'Run the same "shortlink restore" again. The service does not start before.' },
    ])
  })

  it('names files that others can read, unless the folder keeps them away', () => {
    mkdirSync(join(folder, 'images'), { mode: 0o755 })
    writeFileSync(join(folder, 'secrets.key'), '')
    chmodSync(join(folder, 'secrets.key'), 0o644)
    expect(examineDataDirectory(folder)).toMatchObject([{ state: 'ok' }])
    chmodSync(folder, 0o755)
    const [finding] = examineDataDirectory(folder)
    expect(finding).toMatchObject({ state: 'warning', remedy: `chmod -R go= '${folder}'` })
    expect(finding?.message).toContain('images, secrets.key')
  })

  it.each([
    ['wrong', 0o777, 'can replace files'],
    ['warning', 0o755, 'is open to other users'],
    ['warning', 0o750, 'is open to other users'],
    ['ok', 0o700, 'by its owner alone'],
  ] as const)('is %s with mode %o, whoever looks', (state, mode, message) => {
    writeFileSync(join(folder, 'records.sqlite'), '', { mode: 0o600 })
    chmodSync(folder, mode)
    expect(examineDataDirectory(folder)).toMatchObject([{ state, message: expect.stringContaining(message) }])
  })

  it('names files of another user, which the service cannot write', () => {
    writeFileSync(join(folder, 'records.sqlite'), '', { mode: 0o600 })
    const stranger = 4711
    expect(examineDataDirectory(folder, stranger)).toMatchObject([
      { state: 'wrong', message: `records.sqlite in ${folder} belong to another user.` },
    ])
  })

  it('reminds of the first credentials', () => {
    writeFileSync(join(folder, 'first-credentials.txt'), '', { mode: 0o600 })
    expect(examineDataDirectory(folder)).toMatchObject([
      { state: 'warning', remedy: 'Save them elsewhere, then delete it.' },
    ])
  })
})

describe('the disk', () => {
  it.each([
    ['ok', { free: 50 * gigabyte, total: 100 * gigabyte, used: gigabyte, age: 100 * day }],
    ['ok', { free: 50 * gigabyte, total: 100 * gigabyte, used: 40 * gigabyte, age: day }],
    ['ok', { free: 50 * gigabyte, total: 100 * gigabyte, used: 40 * gigabyte, age: undefined }],
    ['warning', { free: 5 * gigabyte, total: 100 * gigabyte, used: 1, age: day }],
    ['warning', { free: gigabyte, total: 4 * gigabyte, used: 1, age: day }],
    ['warning', { free: 50 * gigabyte, total: 100 * gigabyte, used: 40 * gigabyte, age: 20 * day }],
    ['wrong', { free: 10 * gigabyte, total: 100 * gigabyte, used: 40 * gigabyte, age: 20 * day }],
    ['wrong', { free: 0.1 * gigabyte, total: 4 * gigabyte, used: 1, age: day }],
  ])('is %s with %j', (state, use) => {
    expect(judgeDisk(use).state).toBe(state)
  })

  it('says how long the space lasts', () => {
    expect(judgeDisk({ free: 50 * gigabyte, total: 100 * gigabyte, used: 40 * gigabyte, age: 20 * day }).message).toBe(
      '50.0 GB of 100.0 GB are free; the data directory has 40.0 GB, which grew by 2.0 GB a day: enough for 25 days.',
    )
  })

  it('counts the files of the data directory', () => {
    mkdirSync(join(folder, 'journal'))
    writeFileSync(join(folder, 'journal', '1'), 'x'.repeat(3000))
    expect(examineDisk(folder, Date.now())[0]?.message).toContain('the data directory has 3 kB')
    expect(examineDisk(join(folder, 'nowhere'), now)).toEqual([])
  })
})

describe('the clock', () => {
  it.each([
    [1999, []],
    [-1999, []],
    [5000, ['warning']],
    [-45_000, ['wrong']],
  ])('%i ms from another is %j', (clockOffset, states) => {
    expect(judgeOffset({ name: 'PostgreSQL', clockOffset }).map(({ state }) => state)).toEqual(states)
  })

  it('is wrong when a file is from the future', () => {
    writeFileSync(join(folder, 'records.sqlite'), '')
    utimesSync(join(folder, 'records.sqlite'), new Date(now + day), new Date(now + day))
    expect(examineClock(folder, [], now)).toMatchObject([{ state: 'wrong' }])
    expect(examineClock(folder, [], now + 2 * day)).toMatchObject([{ state: 'ok' }])
  })

  it('names the servers that it agrees with', () => {
    const engine = { name: 'Redis', option: 'redisUrl', place: 'redis:6379', clockOffset: 12 } as const
    expect(examineClock(folder, [engine], now)).toMatchObject([{ state: 'ok', message: 'It agrees with Redis.' }])
  })
})

it.each([
  ['wrong', '256'],
  ['warning', '1024'],
  ['ok', '65536'],
  ['ok', 'unlimited'],
])('the number of open files is %s with %s', (state, allowed) => {
  expect(
    examineOpenFiles(`Limit  Soft Limit\nMax open files            ${allowed}   ${allowed}  files\n`),
  ).toMatchObject([{ state }])
})

it.each([
  ['ok', 0, []],
  ['ok', 1, ['203.0.113.7']],
  ['warning', 0, ['203.0.113.7']],
  ['warning', 1, ['203.0.113.7', '10.0.0.1']],
  ['wrong', 1, []],
  ['wrong', 2, ['203.0.113.7']],
])('proxies are %s with --trust-proxy %i and X-Forwarded-For %j', (state, trusted, forwardedFor) => {
  expect(judgeProxies(trusted, { forwardedFor }).state).toBe(state)
})

describe('backups', () => {
  it.each([
    ['warning', undefined],
    ['ok', now - day],
    ['warning', now - 3 * day],
    ['wrong', now - 8 * day],
  ])('are %s when one is wanted each day and the newest is from %s', (state, newest) => {
    expect(judgeBackups(newest, { place: '/backups', backupEvery: day, now }).state).toBe(state)
  })

  it('are missed when nobody makes any, and should be on another disk', async () => {
    const given = { dataDir: folder, backupEvery: day }
    expect(await examineBackups({ ...given, backupTo: undefined }, now)).toMatchObject([
      { state: 'warning', message: 'The service makes no backups by itself.' },
    ])
    const backupTo = join(folder, 'backups')
    mkdirSync(backupTo)
    expect(await examineBackups({ ...given, backupTo }, now)).toMatchObject([
      { state: 'warning', message: `There is no backup in ${backupTo} yet.` },
      { state: 'warning', message: `${backupTo} is on the disk of the data directory.` },
    ])
  })

  it('are looked for in an S3 store, whose secret is not shown', async () => {
    let files: Record<string, unknown> = {}
    const store = createServer((request, response) => {
      const content = files[request.url ?? '']
      if (content === undefined) response.writeHead(404).end('<Code>NoSuchKey</Code>')
      else response.writeHead(200).end(JSON.stringify(content))
    })
    await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void store.close())
    const place = `127.0.0.1:${(store.address() as AddressInfo).port}`
    const given = { dataDir: folder, backupEvery: day, backupTo: `http://key:hunter2@${place}/bucket` }
    expect(await examineBackups(given, now)).toMatchObject([
      { state: 'warning', message: `There is no backup in ${place} yet.` },
    ])
    const manifest = {
      format: 'shortlink backup',
      version: 1,
      program: '1.0.0',
      schema: '0001',
      secrets: 'left out',
      started_at: new Date(now - 3 * day).toISOString(),
      finished_at: new Date(now - 3 * day).toISOString(),
      engines: { records: 'sqlite', clicks: 'duckdb' },
      unpublished: 0,
      missing_images: [],
      files: [],
      counts: { links: 0, users: 1, images: 0, clicks: 0 },
    }
    files = { '/bucket/index.json': ['nightly'], '/bucket/nightly/manifest.json': manifest }
    expect(await examineBackups(given, now)).toMatchObject([
      { state: 'warning', message: `The newest backup in ${place} is 72 hours old.` },
    ])
  })
})

it('a trouble of the service is a finding of its area', () => {
  expect(judgeTrouble('click log: Cannot open it: damaged')).toMatchObject({
    state: 'wrong',
    area: 'click log',
    message: 'Cannot open it: damaged',
  })
})

it.each([
  ['warning', now - day],
  ['ok', now - 40 * day],
])('clicks that were lost are %s when the last one was at %i', (state, at) => {
  expect(judgeLost(4201, new Date(at).toISOString(), now)).toMatchObject([
    { state, area: 'journal', message: expect.stringContaining('4201 clicks were not recorded') },
  ])
  expect(judgeLost(0, null, now)).toEqual([])
})

it('migrations that are missing are named', async () => {
  const pendingMigrations = async () => ['0042-more', '0043-most']
  expect(await examineMigrations({ pendingMigrations })).toMatchObject([
    { state: 'warning', message: 'The database lacks 2 migration(s): 0042-more, 0043-most.' },
  ])
})
