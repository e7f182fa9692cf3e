/** Backups that the service makes by itself. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifyCopy } from '../../src/core/copies/copy.js'
import { backupFormat } from '../../src/storage/copies/manifest.js'
import { listBackups, openCopy } from '../../src/storage/copies/open-copy.js'
import { type StartedApp, startApp } from '../support/start-app.js'

const folder = mkdtempSync(join(tmpdir(), 'shortlink-schedule-'))
const backups = join(folder, 'backups')
const day = 86_400_000
let now = Date.now()
let service: StartedApp

beforeAll(async () => {
  mkdirSync(join(backups, 'mine'), { recursive: true })
  mkdirSync(join(backups, '2020-01-01T000000Z.unfinished'))
  service = await startApp(
    { backupTo: backups, backupEvery: day, backupKeep: 2, databaseUrl: undefined },
    { clock: { now: () => now } },
  )
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

const goodOnes = async () => (await listBackups(backups)).filter(({ manifest }) => manifest).map(({ name }) => name)
const check = () => service.app.backupSchedule?.check()

it('makes one when there is none, and another when it is due, and keeps as many as wanted', async () => {
  await check()
  const [first] = await goodOnes()
  expect(first).toMatch(/^\d{4}-\d{2}-\d{2}T\d{6}Z$/)
  await verifyCopy(await openCopy(join(backups, first ?? ''), backupFormat), () => {})
  await check()
  expect(await goodOnes()).toEqual([first])
  expect(service.app.backupSchedule?.status).toMatchObject({ lastAt: expect.any(Number), failures: 0 })

  now += day + 60_000
  await check()
  // The times in the manifests are those of the clock on the wall.
  now += day + 60_000
  await check()
  const kept = await goodOnes()
  expect(kept).toHaveLength(2)
  expect(kept).not.toContain(first)
  // Nothing else is touched, but what an interrupted backup left.
  expect(readdirSync(backups).sort()).toEqual([...kept, 'mine'])
})

it('says when one fails, in the status and in the audit log, and tries again later', async () => {
  const before = await goodOnes()
  rmSync(backups, { recursive: true })
  writeFileSync(backups, 'not a folder')
  now += day + 60_000
  await check()
  expect(service.app.backupSchedule?.status).toMatchObject({ failures: 1, lastFailure: expect.any(String) })
  expect((await service.request('GET', '/readyz')).body).toMatchObject({ status: 'degraded' })
  rmSync(backups)
  await check()
  expect(before).toHaveLength(2)
  now += 15 * 60_000
  await check()
  expect(await goodOnes()).toHaveLength(1)
  expect((await service.request('GET', '/metrics')).text).toMatch(/^shortlink_backup_last_timestamp_seconds \d{10}/m)
  expect(service.app.backupSchedule?.status).toMatchObject({ failures: 1, lastFailure: undefined })
  const entries = await service.app.audit.list({
    organizationGuid: undefined,
    login: 'operator',
    after: undefined,
    size: 20,
  })
  expect(entries.map(({ action }) => action).filter((action) => action.startsWith('backup'))).toEqual([
    ...['backup_made', 'backup_failed', 'backup_made', 'backup_made', 'backup_made'],
  ])
})
