/** A service whose secrets.key was lost: it starts with a new one that its operator created, and everything says what to repair. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRecords } from '../../src/runtime/stores/open-records.js'
import { eventually } from '../stream/nsqd/subject.js'
import { freePort } from '../support/free-port.js'
import { runCommand } from '../support/run-command.js'
import { processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'
import { type Receiver, startReceiver, verify } from './receiver.js'

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: looks into answers of every shape
  readonly body: any
}

describe('webhooks after secrets.key was lost', { timeout: 120_000 }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-lost-key-'))
  let service: ServiceProcess
  let receiver: Receiver
  let hook: string
  let other: string
  beforeAll(async () => {
    receiver = await startReceiver()
    const port = await freePort()
    const start = () => startProcess(dataDir, ['--outgoing-allow', '127.0.0.0/8'], '', port)
    service = await start()
    const { organizations } = (await ask('GET', '/v4/organizations')).body
    const body = { organization_guid: organizations[0].guid, name: 'One', event: 'link.created', url: receiver.url }
    hook = `/v4/webhooks/${(await ask('POST', '/v4/webhooks', body, 'webhook')).body.guid}`
    other = `/v4/webhooks/${(await ask('POST', '/v4/webhooks', { ...body, is_active: false })).body.guid}`
    await service.stop('SIGTERM')
    await turnTwoFactorOn(dataDir)
    rmSync(join(dataDir, 'secrets.key'))
    await withoutKey()
    service = await start()
  }, 240_000)
  afterAll(async () => {
    await service.stop('SIGTERM')
    await receiver.close()
    rmSync(dataDir, { recursive: true })
  })

  const run = (...args: string[]) => runCommand([...args, '--data-dir', dataDir])

  /** Nothing but the operator's command creates another key. */
  async function withoutKey(): Promise<void> {
    const serve = await run('serve', '--port', String(await freePort()))
    expect(serve).toMatchObject({ code: 1, err: expect.stringMatching(/no secrets\.key.*secrets new-key/) })
    expect(serve.err).toMatch(/2 webhooks.*1 second factor.*1 kept answer/)
    const doctor = await run('doctor')
    expect(doctor).toMatchObject({ code: 1, out: expect.stringMatching(/wrong +secrets +Cannot decrypt/) })
    expect(await run('migrate')).toMatchObject({ code: 0 })
    expect(existsSync(join(dataDir, 'secrets.key'))).toBe(false)
    const created = await run('secrets', 'new-key')
    expect(created).toMatchObject({ code: 0, out: expect.stringContaining('two-factor-off LOGIN') })
    expect(await run('secrets', 'new-key')).toMatchObject({ code: 1, err: expect.stringContaining('which stays') })
  }

  async function ask(method: string, path: string, body?: object, key?: string): Promise<Answer> {
    const headers = {
      authorization: `Bearer ${processToken}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    }
    const answer = await fetch(service.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
  }

  const told = () => service.output().match(/cannot decrypt[^"]*/g)

  it('are shown without what cannot be decrypted, and the log says once what to do', async () => {
    const state = { is_active: true, status: 'alert', is_alert: true, url: '', name: 'One' }
    expect(await ask('GET', hook)).toMatchObject({ status: 200, body: state })
    const { body } = await ask('GET', `/v4/organizations/${(await ask('GET', hook)).body.organization_guid}/webhooks`)
    expect(body.webhooks).toHaveLength(2)
    expect(told()).toEqual([expect.stringMatching(/rotate its secret/)])
    expect(service.output()).toContain('Cannot decrypt the second factor of admin')
    expect((await run('webhook', 'list')).out).toContain('undecryptable')
  })

  it('are named with the second factors by /readyz and doctor, until they are repaired', async () => {
    const named = /^secrets: Cannot decrypt 2 webhooks, 1 second factor: .*rotate.*two-factor-off/
    expect((await ask('GET', '/readyz')).body.troubles).toEqual([expect.stringMatching(named)])
    const { out } = await run('doctor')
    expect(out.match(/Cannot decrypt/g)).toHaveLength(1)
    expect(await run('user', 'two-factor-off', 'admin')).toMatchObject({ code: 0 })
    expect((await ask('GET', '/readyz')).body.troubles).toEqual([expect.stringContaining('decrypt 2 webhooks:')])
  })

  it('are not sent to', async () => {
    for (const path of [`${hook}/verify`, `${hook}/redeliver`]) {
      const refused = await ask(
        'POST',
        path,
        path.endsWith('verify') ? undefined : { since: '2026-01-01T00:00:00+0000' },
      )
      expect(refused).toMatchObject({ status: 400, body: { description: expect.stringContaining('rotate') } })
    }
  })

  it('can be changed, and get events of meanwhile when they have a URL and a secret again', async () => {
    const { id } = await shortenAt(service.url, 'https://example.com/meanwhile')
    expect((await ask('PATCH', hook, { name: 'New' })).body).toMatchObject({ name: 'New', url: '', status: 'alert' })
    const { body: rotated } = await ask('POST', `${hook}/rotate_secret`)
    expect(rotated).toMatchObject({ status: 'alert', signing_secret: expect.stringMatching(/^whsec_/) })
    expect((await ask('PATCH', hook, { url: receiver.url })).body).toMatchObject({ status: 'active' })
    await eventually(async () => expect(receiver.events.map(({ shortlink }) => shortlink)).toEqual([id]))
    const [request] = receiver.requests
    expect(request && verify(rotated.signing_secret, request)).toMatchObject({ event_type: 'link.created' })
    const signatures = String(request?.headers['webhook-signature']).split(' ')
    expect(signatures).toHaveLength(1)
    expect(told()).toHaveLength(1)
  })

  it('can be deleted', async () => {
    expect((await ask('DELETE', other)).status).toBe(204)
    expect((await ask('GET', other)).status).toBe(404)
    expect((await ask('GET', '/readyz')).body).toMatchObject({ status: 'ready', troubles: [] })
  })

  it('are not created twice by a repeated request whose answer cannot be decrypted', async () => {
    const { organization_guid } = (await ask('GET', hook)).body
    const body = { organization_guid, name: 'One', event: 'link.created', url: receiver.url }
    const again = await ask('POST', '/v4/webhooks', body, 'webhook')
    expect(again).toMatchObject({ status: 409, body: { description: expect.stringContaining('carried out') } })
    const otherwise = await ask('POST', '/v4/webhooks', { ...body, name: 'Two' }, 'webhook')
    expect(otherwise).toMatchObject({ status: 422, body: { message: 'IDEMPOTENCY_KEY_REUSED' } })
    expect((await ask('POST', '/v4/webhooks', { ...body, is_active: false }, 'new-key')).status).toBe(201)
  })
})

/** Of the first account, which the start looks at. */
async function turnTwoFactorOn(dataDir: string): Promise<void> {
  const records = await openRecords({ dataDir, databaseUrl: undefined })
  const factor = { by: 'app', secret: 'GEZDGNBVGY3TQOJQ' } as const
  await records.accounts.beginTwoFactor('admin', factor, Date.now() + 60_000)
  await records.accounts.turnTwoFactorOn('admin', { factor, recoveryCodeHashes: ['hash'], usedStep: 1 })
  await records.close()
}
