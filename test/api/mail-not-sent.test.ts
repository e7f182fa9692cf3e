/** What is answered when no mail server is set: nothing was sent, and nobody is told that something was. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { operate } from '../../src/core/administration/operations.js'
import { eventually } from '../stream/nsqd/subject.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { type Receiver, startReceiver, status } from '../webhooks/receiver.js'
import { firstOrganization } from './organize.js'
import { visit } from './visits.js'

const webhookTiming = { pauses: [50, 50, 50, 50], backoff: 20, maxBackoff: 50, timeout: 500 }
let started: StartedApp
let receiver: Receiver
let guid: string
beforeAll(async () => {
  started = await startApp({ outgoingAllow: ['127.0.0.0/8'] }, { webhookTiming })
  receiver = await startReceiver(status(502))
  guid = await firstOrganization(started)
  await operate(started.app, operator, 'setEmail', { login: 'admin', email: 'admin@example.com' })
})
afterAll(async () => {
  await started.close()
  await receiver.close()
})

describe('without a mail server', () => {
  it('an invitation says that nothing was sent, and has the link for the one who invites', async () => {
    const path = `/v4/organizations/${guid}/invitations`
    const body = { email: 'ada@example.com', group_guid: started.groupGuid }
    const made = await started.request('POST', path, { body })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ email: 'ada@example.com', delivery: 'not_sent' })
    expect(made.body.url).toMatch(/\/account\/invitation\?secret=[\w-]+$/)
    const { pathname, search } = new URL(made.body.url)
    const page = await started.request('GET', pathname + search, { token: null })
    expect(page.status).toBe(200)
    const [listed] = (await started.request('GET', path)).body.invitations
    expect(listed).toMatchObject({ guid: made.body.guid, delivery: 'not_sent' })
    expect(listed).not.toHaveProperty('url')
  })

  it('a new e-mail address says that nothing was sent, and stays unconfirmed', async () => {
    const body = { email: 'new@example.com', password: 'correct horse' }
    const { status: code, body: answer } = await started.request('POST', '/v4/user/email', { body })
    expect([code, answer]).toEqual([
      202,
      { email: 'new@example.com', expires: expect.any(String), delivery: 'not_sent' },
    ])
    const { emails } = (await started.request('GET', '/v4/user')).body
    expect(emails).toEqual([expect.objectContaining({ email: 'admin@example.com', is_verified: false })])
  })

  it('a forgotten password leads to the operator, whoever asks', async () => {
    const { text } = await started.request('GET', '/account/forgot-password', { token: null })
    expect(text).toContain('This service sends no mail')
    expect(text).toContain('bin/shortlink user password')
    expect(text).not.toContain('<form')
  })

  it('a webhook in alert says that nobody was told', async () => {
    const about = { organization_guid: guid, name: 'One', event: 'engagement', url: receiver.url }
    const made = await started.request('POST', '/v4/webhooks', { body: about })
    expect(made.body).not.toHaveProperty('alert_delivery')
    const link = (await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/a' } })).body.id
    await visit(started, link)
    const read = async () => (await started.request('GET', `/v4/webhooks/${made.body.guid}`)).body
    const told = { status: 'alert', alert_delivery: 'not_sent' }
    await eventually(async () => expect(await read()).toMatchObject(told))
  })
})
