import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { firstOrganization } from '../api/organize.js'
import { eventually } from '../stream/nsqd/subject.js'
import { startApp } from '../support/start-app.js'
import { startReceiver } from './receiver.js'

it('deletes the log of a webhook after seven days, though nothing is sent any more', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-old-deliveries-'))
  const day = 24 * 60 * 60 * 1000
  const start = (days: number) =>
    startApp(
      { databaseUrl: undefined, dataDir, outgoingAllow: ['127.0.0.0/8'] },
      { clock: { now: () => Date.now() + days * day } },
    )
  const receiver = await startReceiver()
  let started = await start(0)
  const organization_guid = await firstOrganization(started)
  const body = { organization_guid, name: 'One', event: 'engagement', url: receiver.url, is_active: false }
  const path = `/v4/webhooks/${(await started.request('POST', '/v4/webhooks', { body })).body.guid}`
  expect((await started.request('POST', `${path}/verify`)).status).toBe(200)
  const logged = async () => (await started.request('GET', `${path}/deliveries`)).body.deliveries.length
  for (const [days, expected] of [
    [6.9, 1],
    [7.1, 0],
  ] as const) {
    await started.close()
    started = await start(days)
    await eventually(async () => expect(await logged()).toBe(expected))
  }
  await started.close()
  await receiver.close()
  rmSync(dataDir, { recursive: true })
})
