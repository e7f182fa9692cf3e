import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { png } from '../support/pictures.js'
import { S3Server, whyNoS3 } from '../support/s3-server.js'
import { type StartedApp, startApp } from '../support/start-app.js'

const skip = whyNoS3()

describe.skipIf(skip)(`images in an S3 store${skip === undefined ? '' : ` (skipped: ${skip})`}`, () => {
  let server: S3Server
  let started: StartedApp
  beforeAll(async () => {
    server = await S3Server.start()
    started = await startApp({ s3Url: server.url() })
  })
  afterAll(async () => {
    await started.close()
    await server.stop()
  })

  const upload = async (body: Buffer) =>
    started.request('POST', '/v4/images', { body, headers: { 'content-type': 'image/png' } })
  const fileOf = (guid: string) => started.request('GET', `/v4/images/${guid}/file`, { token: null })
  const blobsOf = (sha256: string) => server.objects.filter((name) => name.startsWith(sha256))

  it('are stored once, served and removed there', async () => {
    const [{ body: one }, { body: two }] = [await upload(await png()), await upload(await png())]
    expect(blobsOf(one.sha256)).toHaveLength(1)
    expect((await fileOf(one.guid)).bytes).toHaveLength(one.bytes)
    expect(existsSync(join(started.app.config.dataDir, 'images'))).toBe(false)
    await started.request('DELETE', `/v4/images/${one.guid}`)
    expect((await fileOf(two.guid)).status).toBe(200)
    await started.request('DELETE', `/v4/images/${two.guid}`)
    expect(blobsOf(one.sha256)).toEqual([])
  })

  it('are a trouble that monitoring sees while the store refuses the credentials', async () => {
    const refused = await startApp({ s3Url: server.url({ secret: 'wrong' }) })
    try {
      const ready = await vi.waitFor(
        async () => {
          const { body } = await refused.request('GET', '/readyz', { token: null })
          expect(body.servers.s3.state).toBe('failing')
          return body
        },
        { timeout: 60_000 },
      )
      expect(ready).toMatchObject({
        status: 'degraded',
        troubles: ['s3: images cannot be stored or read (The S3 store answered 403 SignatureDoesNotMatch)'],
      })
      expect((await refused.request('GET', '/metrics', { token: null })).text).toContain(
        'shortlink_server_up{server="s3"} 0',
      )
    } finally {
      await refused.close()
    }
  })

  it('answer 503 while the store is away; what was removed meanwhile is deleted later', async () => {
    const { body } = await upload(await png(11, 12))
    await server.kill()
    for (const answer of [await upload(await png(13, 14)), await fileOf(body.guid)]) {
      expect([answer.status, answer.body.message]).toEqual([503, 'TEMPORARILY_UNAVAILABLE'])
      expect(answer.headers['retry-after']).toBe('5')
    }
    expect((await started.request('DELETE', `/v4/images/${body.guid}`)).status).toBe(204)
    await server.run()
    expect(blobsOf(body.sha256)).toHaveLength(1)
    // The service tries again every second.
    const image = await png(13, 14)
    await expect.poll(async () => (await upload(image)).status, { timeout: 60_000 }).toBe(201)
    expect(blobsOf(body.sha256)).toEqual([])
  })
})
