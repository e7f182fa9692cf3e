/** Backups in an S3 store, made by the schedule. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyCopy } from '../../src/core/copies/copy.js'
import { backUp, listBackupsAt, openBackupAt, restore } from '../../src/runtime/stores/open-backups.js'
import { scratchIn } from '../../src/storage/copies/empty-place.js'
import { S3Server, whyNoS3 } from '../support/s3-server.js'
import { type StartedApp, startApp } from '../support/start-app.js'

const skip = whyNoS3()
const folder = mkdtempSync(join(tmpdir(), 'shortlink-s3-backups-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const day = 86_400_000

describe.skipIf(skip)(`an S3 store${skip === undefined ? '' : ` (skipped: ${skip})`}`, { timeout: 120_000 }, () => {
  let now = Date.now()
  let server: S3Server
  let service: StartedApp
  beforeAll(async () => {
    server = await S3Server.start()
    service = await startApp(
      {
        backupTo: server.url(),
        backupEvery: day,
        backupKeep: 2,
        databaseUrl: undefined,
        domains: ['sho.rt'],
        anyHost: false,
      },
      { clock: { now: () => now } },
    )
  })
  afterAll(async () => {
    await service?.close()
    await server?.stop()
  })
  const names = async () => (await listBackupsAt(service.app.config, 's3:')).map(({ name }) => name)

  it('gets a backup when one is due, without what it has, and loses what no backup needs', async () => {
    await service.app.backupSchedule?.check()
    const [first = ''] = await names()
    const before = server.objects.length
    for (let round = 0; round < 2; round++) {
      await service.request('POST', '/v4/shorten', { body: { long_url: `https://example.com/${round}` } })
      now += day + 60_000
      await service.app.backupSchedule?.check()
    }
    expect(service.app.backupSchedule?.status).toMatchObject({ failures: 0 })
    expect(await names()).toHaveLength(2)
    expect(await names()).not.toContain(first)
    // Another manifest, and another copy of the records; clicks and the rest are shared.
    expect(server.objects.length).toBeLessThanOrEqual(before + 3)
    expect(readdirSync(service.app.config.dataDir).filter((name) => name.startsWith('backup'))).toEqual([])
    for (const name of await names()) {
      await verifyCopy(await openBackupAt(service.app.config, `s3:${name}`), () => {})
    }
  })

  it('is restored from', async () => {
    const { config, clickCopier } = service.app
    const manifest = await backUp(config, 's3:by-hand', clickCopier, { program: '1.2.3', tell: () => {} })
    await expect(backUp(config, 's3:by-hand', clickCopier, { program: '1.2.3', tell: () => {} })).rejects.toThrow(
      'already',
    )
    const dataDir = join(folder, 'copy')
    const backup = await openBackupAt(config, 's3:by-hand', scratchIn(dataDir))
    await restore({ ...config, dataDir }, backup, { withSecrets: true, tell: () => {} })
    expect(readdirSync(dataDir)).toEqual(expect.arrayContaining(['clicks.duckdb', 'records.sqlite']))
    const other = await startApp({ dataDir, databaseUrl: undefined, domains: ['sho.rt'], anyHost: false })
    try {
      const { body } = await other.request('GET', `/v4/groups/${service.groupGuid}/shortlinks`)
      expect(body.links).toHaveLength(manifest.counts.links)
    } finally {
      await other.close()
    }
    await expect(openBackupAt(config, 's3:nothing')).rejects.toThrow('There is no backup')
  })
})
