/** Webhooks and readers of the stream after a restore: nothing that was delivered comes again, and nothing is lost. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Config } from '../../src/config/config.js'
import { makeBackup } from '../../src/core/copies/make-backup.js'
import { systemClock } from '../../src/core/values/time.js'
import { restore } from '../../src/runtime/stores/open-backups.js'
import { dataFilesOf } from '../../src/storage/copies/data-files.js'
import { backupFormat } from '../../src/storage/copies/manifest.js'
import { newCopy } from '../../src/storage/copies/new-copy.js'
import { openCopy } from '../../src/storage/copies/open-copy.js'
import { sealSecrets } from '../../src/storage/copies/sealed-secrets.js'
import { sqliteRecordCopier } from '../../src/storage/copies/sqlite-records.js'
import { recordsFile } from '../../src/storage/sql/records-file.js'
import { firstOrganization } from '../api/organize.js'
import { visit } from '../api/visits.js'
import { eventually } from '../stream/nsqd/subject.js'
import { type Reading, read } from '../stream/reading.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { accept, type Receiver, startReceiver, status } from '../webhooks/receiver.js'

const folder = mkdtempSync(join(tmpdir(), 'shortlink-positions-'))
/** An event that fails is tried again every second or two, as long as the test takes. */
const webhookTiming = { pauses: Array(1000).fill(1500), backoff: 20, maxBackoff: 50, timeout: 20_000 }
const passphrase = 'correct horse battery staple'
const config: Partial<Config> = {
  databaseUrl: undefined,
  domains: ['sho.rt'],
  anyHost: false,
  outgoingAllow: ['127.0.0.0/8'],
  backupPassphrase: passphrase,
  nsqdPort: 0,
  trustProxy: 1,
}

let origin: StartedApp
let receiver: Receiver
let link: string
let webhook: string
let organization: string
beforeAll(async () => {
  mkdirSync(join(folder, 'data'))
  origin = await startApp({ ...config, dataDir: join(folder, 'data') }, { webhookTiming })
  organization = await firstOrganization(origin)
  await origin.request('PUT', `/v4/organizations/${organization}/stream_access`)
  receiver = await startReceiver(status(503))
  const body = { long_url: 'https://example.com/positions', title: 'at first' }
  link = (await origin.request('POST', '/v4/shortlinks', { body })).body.id
  const about = { organization_guid: organization, name: 'One', event: 'engagement', url: receiver.url }
  const made = await origin.request('POST', '/v4/webhooks', {
    body: { ...about, events: ['engagement', 'link.updated'] },
  })
  expect(made.status).toBe(201)
  webhook = made.body.guid
})
afterAll(async () => {
  await origin?.close()
  await receiver?.close()
  rmSync(folder, { recursive: true, force: true })
})

const titled = async (title: string) => {
  expect((await origin.request('PATCH', `/v4/shortlinks/${link}`, { body: { title } })).status).toBe(200)
}
const titles = () => receiver.events.flatMap(({ title }) => (title === undefined ? [] : [title]))
const referrers = (events: readonly Readonly<Record<string, unknown>>[], key: string) =>
  events.flatMap((event) => (typeof event[key] === 'string' && event[key] !== '' ? [String(event[key])] : []))
const visits = async (started: StartedApp, from: number, to: number) => {
  for (let n = from; n < to; n++) await visit(started, link, { referrer: `https://from.example/${n}` })
  await started.clicksCounted()
}
const from = (first: number, end: number) =>
  Array.from({ length: end - first }, (_, n) => `https://from.example/${first + n}`)
const reading = ({ app, token }: StartedApp) =>
  read({
    topic: `clicks.${organization}`,
    channel: 'theirs',
    token,
    dataDir: app.config.dataDir,
    place: { lookupdHTTPAddresses: [`http://localhost:${app.config.port}/v3/nsq/lookup?access_token=${token}`] },
  })
const seenBy = ({ clicks }: Reading) => referrers(clicks, 'r')

it('delivers after a restore what the backup does not call delivered, and nothing else', {
  timeout: 120_000,
}, async () => {
  // A reader that has read the first three clicks, and a webhook whose receiver accepts one event and refuses all others.
  receiver.answerWith(accept)
  await titled('earlier')
  await eventually(async () => {
    const { body: log } = await origin.request('GET', `/v4/webhooks/${webhook}/deliveries`)
    expect(JSON.stringify(log)).toMatch(/"status":200/)
  })
  receiver.answerWith(status(503))
  const first = reading(origin)
  await first.until(({ connections }) => connections > 0)
  await visits(origin, 0, 3)
  await first.until(({ clicks }) => clicks.length >= 3)
  await setTimeout(200)
  first.close()
  await visits(origin, 3, 6)
  await titled('before')

  const manifest = await backUpWith(async () => {
    // Between two copies: one event is delivered, and one is new.
    receiver.answerWith((response, { body }) => (body.title === 'before' ? accept : status(503))(response, body))
    await eventually(async () => expect(titles()).toContain('before'))
    await titled('during')
    await visits(origin, 6, 7)
  })
  expect(manifest.counts.clicks).toBe(6)
  await origin.app.close()
  const deliveredBefore = titles().length

  const dataDir = join(folder, 'restored')
  const backup = await openCopy(join(folder, 'backup'), backupFormat)
  await restore({ ...origin.app.config, dataDir }, backup, { withSecrets: true, tell: () => {} })
  receiver.answerWith(accept)
  const restored = await startApp({ ...config, dataDir }, { webhookTiming })
  try {
    const { body } = await restored.request('GET', `/v4/shortlinks/${link}`)
    await visits(restored, 7, 8)
    const asked = `/v4/shortlinks/${link}/clicks/summary?unit=day&units=-1`
    expect((await restored.request('GET', asked)).body.total_clicks).toBe(manifest.counts.clicks + 1)
    const wanted = [...from(0, 6), ...from(7, 8)]
    await eventually(async () => expect(referrers(receiver.events, 'referrer')).toEqual(expect.arrayContaining(wanted)))
    // What the records have changed, the receiver is told.
    if (body.title === 'during') await eventually(async () => expect(titles()).toContain('during'))
    const again = reading(restored)
    await again.until((now) => from(7, 8).every((referrer) => seenBy(now).includes(referrer)))
    again.close()
    // Some time for what should not come.
    await setTimeout(1000)
    expect(titles().slice(deliveredBefore)).not.toContain('earlier')
    const engagements = referrers(receiver.events, 'referrer').filter((referrer) => wanted.includes(referrer))
    expect(engagements.toSorted()).toEqual(wanted)
    expect(seenBy(again)).toEqual(expect.arrayContaining([...from(3, 6), ...from(7, 8)]))
    expect(seenBy(again)).not.toEqual(expect.arrayContaining([from(0, 1)[0]]))
  } finally {
    await restored.close()
  }
})

/** A backup of the running service, with something that happens after the first of its two copies of SQLite files. */
async function backUpWith(between: () => Promise<void>) {
  const { dataDir } = origin.app.config
  let copies = 0
  const then = async <T>(copied: T): Promise<T> => {
    copies += 1
    if (copies === 1) await between()
    return copied
  }
  const records = sqliteRecordCopier(recordsFile(dataDir))
  const files = dataFilesOf(dataDir)
  return makeBackup(
    {
      target: await newCopy(join(folder, 'backup'), backupFormat),
      clickCopier: origin.app.clickCopier,
      recordCopier: { ...records, copy: (to) => records.copy(to).then(then) },
      dataFiles: { ...files, copy: (to) => files.copy(to).then(then) },
      blobs: { get: async () => undefined },
      encryptSecrets: (secrets) => sealSecrets(secrets, passphrase),
      clock: systemClock,
    },
    '1.2.3',
    () => {},
  )
}
