/** The service as nsqd's auth server: what nsqd sends and what it accepts. No daemon is needed for it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publisherSecret } from '../../src/core/stream/access.js'
import { aMember } from '../api/alter-records.js'
import { freePort } from '../support/free-port.js'
import { type RequestOptions, type StartedApp, startApp } from '../support/start-app.js'
import { allowed } from './readers.js'

const authSecret = 'the-secret-of-the-daemons'
const path = `/internal/nsq/auth/${authSecret}`

describe('the auth server for real daemons', () => {
  let started: StartedApp
  let topic: string
  beforeAll(async () => {
    const nsqdHttpAddresses = [`http://127.0.0.1:${await freePort()}`]
    started = await startApp({ nsqdHttpAddresses, nsqdAuthSecret: authSecret })
    ;({ topic } = await allowed(started))
  })
  afterAll(() => started.close())

  /** As nsqd 1.3.0 asks. */
  const asked = (secret: string, at = path) =>
    started.request('GET', `${at}?common_name=&remote_ip=203.0.113.7&secret=${encodeURIComponent(secret)}&tls=true`, {
      token: null,
      headers: { accept: 'application/vnd.nsq; version=1.0' },
    })

  it('tells whose token it is, and allows all channels of exactly the topics it may read', async () => {
    const { status, headers, body } = await asked(started.token)
    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
    expect(body).toMatchObject({ identity: 'admin', identity_url: '' })
    expect(body.ttl).toBeGreaterThan(0)
    const own = body.authorizations.find((each: { topic: string }) => new RegExp(each.topic).test(topic))
    expect(own).toEqual({ topic: `^${topic.replace('.', '\\.')}$`, channels: ['^.*$'], permissions: ['subscribe'] })
  })

  it('opens no topic whose name is only alike', async () => {
    const { body } = await asked(started.token)
    const opens = (name: string) =>
      body.authorizations.some((each: { topic: string }) => new RegExp(each.topic).test(name))
    expect(opens(topic)).toBe(true)
    const alike = [`${topic}2`, `x${topic}`, topic.replace('.', 'x'), topic.slice(0, -1), `${topic}#ephemeral`, '']
    expect(alike.filter(opens)).toEqual([])
  })

  it('answers POST, in which every value is a list', async () => {
    const post = (body: unknown, more: RequestOptions = {}) =>
      started.request('POST', path, { token: null, body, ...more })
    const { status, body } = await post({ remote_ip: ['203.0.113.7'], tls: ['true'], secret: [started.token] })
    expect([status, body.identity]).toEqual([200, 'admin'])
    expect((await post({ secret: [] })).body.authorizations).toEqual([])
    expect((await post([1])).body.authorizations).toEqual([])
    expect((await post('{', {})).status).toBe(400)
  })

  it.each(['', 'unknown', 'b'.repeat(40), '\0', 'ü'.repeat(9)])(
    'allows nothing to the secret %j, with a status that nsqd takes for an answer',
    async (secret) => {
      const { status, body } = await asked(secret)
      expect([status, body.authorizations, body.identity]).toEqual([200, [], ''])
      expect(body.ttl).toBeGreaterThan(0)
    },
  )

  it('allows nothing to accounts that were not allowed to read the stream', async () => {
    const { status, body } = await asked(await aMember(started, started.groupGuid))
    expect([status, body.authorizations]).toEqual([200, []])
  })

  it('allows publishing to the service itself alone', async () => {
    const { body } = await asked(publisherSecret(authSecret))
    expect(body.authorizations).toEqual([{ topic: '^.*$', channels: ['^.*$'], permissions: ['publish', 'subscribe'] }])
    expect((await asked(authSecret)).body.authorizations).toEqual([])
  })

  it('is not there for who does not know the secret of the daemons', async () => {
    for (const at of ['/internal/nsq/auth', '/internal/nsq/auth/', '/internal/nsq/auth/wrong', `${path}/x`]) {
      expect((await asked(started.token, at)).status).toBe(404)
    }
  })
})

describe('the auth server without a secret', () => {
  let started: StartedApp
  beforeAll(async () => {
    started = await startApp({ nsqdTcpAddresses: [`localhost:${await freePort()}`], trustProxy: 1 })
    await allowed(started)
  })
  afterAll(() => started.close())

  it('answers daemons on this machine, and nobody who came through a proxy', async () => {
    const url = `/internal/nsq/auth?secret=${started.token}`
    const ask = (headers: Record<string, string> = {}) => started.request('GET', url, { token: null, headers })
    expect((await ask()).body.identity).toBe('admin')
    expect((await ask({ 'x-forwarded-for': '127.0.0.1' })).status).toBe(404)
    expect((await ask({ forwarded: 'for=127.0.0.1' })).status).toBe(404)
  })
})
