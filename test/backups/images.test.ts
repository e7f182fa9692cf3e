/** Images and backups in different kinds of places: restored images are served. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Config } from '../../src/config/config.js'
import { backUp, openBackupAt, restore } from '../../src/runtime/stores/open-backups.js'
import { scratchIn } from '../../src/storage/copies/empty-place.js'
import { png } from '../support/pictures.js'
import { S3Server, whyNoS3 } from '../support/s3-server.js'
import { type StartedApp, startApp } from '../support/start-app.js'

const skip = whyNoS3()
const folder = mkdtempSync(join(tmpdir(), 'shortlink-image-backups-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(skip)(`images${skip === undefined ? '' : ` (skipped: ${skip})`}`, { timeout: 120_000 }, () => {
  let images: S3Server
  let backups: S3Server
  let restored: S3Server
  beforeAll(async () => {
    ;[images, backups, restored] = await Promise.all([S3Server.start(), S3Server.start(), S3Server.start()])
  })
  afterAll(async () => {
    for (const server of [images, backups, restored]) await server?.stop()
  })

  const fileOf = (started: StartedApp, guid: string) =>
    started.request('GET', `/v4/images/${guid}/file`, { token: null })

  it.each([
    ['in S3, with backups in a folder, come back to S3', 's3', 'folder', 's3'],
    ['in S3, with backups in a folder, come back to a folder', 's3', 'folder', 'folder'],
    ['in a folder, with backups in S3, come back to a folder', 'folder', 's3', 'folder'],
    ['in a folder, with backups in S3, come back to S3', 'folder', 's3', 's3'],
  ])('%s', async (_title, from, to, back) => {
    const name = `${from}-${to}-${back}`
    const common: Partial<Config> = { databaseUrl: undefined, domains: ['sho.rt'] }
    const origin = await startApp({ ...common, s3Url: from === 's3' ? images.url() : undefined })
    const target = to === 's3' ? `s3:${name}` : join(folder, name)
    const dataDir = join(folder, `data-${name}`)
    const { clickCopier } = origin.app
    // Not of the service, which would make backups of its own there.
    const config = { ...origin.app.config, backupTo: backups.url() }
    let guid: string
    let bytes: Buffer
    try {
      const headers = { 'content-type': 'image/png' }
      guid = (await origin.request('POST', '/v4/images', { body: await png(), headers })).body.guid
      bytes = (await fileOf(origin, guid)).bytes
      const manifest = await backUp(config, target, clickCopier, { program: '1.2.3', tell: () => {} })
      expect(manifest).toMatchObject({ counts: { images: 1 }, missing_images: [] })
    } finally {
      await origin.close()
    }

    const place = { ...common, dataDir, s3Url: back === 's3' ? restored.url() : undefined }
    const before = restored.objects.length
    const backup = await openBackupAt(config, target, scratchIn(dataDir))
    await restore({ ...config, ...place }, backup, { withSecrets: true, tell: () => {} })
    expect(existsSync(join(dataDir, 'images'))).toBe(back === 'folder')
    expect(restored.objects.length - before).toBe(back === 's3' ? 1 : 0)
    const copy = await startApp(place)
    try {
      const answer = await fileOf(copy, guid)
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'image/png'])
      expect(answer.bytes.equals(bytes)).toBe(true)
    } finally {
      await copy.close()
    }
  })
})
