import { describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'

describe('expiry of short links', () => {
  const start = Date.parse('2026-03-01T12:00:00.700Z')
  let now = start
  const started = useApp({}, { clock: { now: () => now } })

  let made = 0
  const aUrl = () => `https://example.com/expiry/${made++}`
  const create = (expiration_at: unknown, more: object = {}) =>
    started.request('POST', '/v4/shortlinks', { body: { long_url: aUrl(), expiration_at, ...more } })
  const patch = (id: string, body: object) => started.request('PATCH', `/v4/shortlinks/${id}`, { body })
  const visit = async (id: string) => (await started.request('GET', `/${id.split('/')[1]}`, { token: null })).status

  it.each([
    ['2026-03-01T12:05:00+0000', '2026-03-01T12:05:00+0000'],
    ['2026-03-01T14:05:00+0200', '2026-03-01T12:05:00+0000'],
    ['2026-03-01T07:06:00-0500', '2026-03-01T12:06:00+0000'],
    ['2027-03-01T12:00:00+0000', '2027-03-01T12:00:00+0000'],
    ['2026-12-31T23:59:59.999Z', '2026-12-31T23:59:59+0000'],
  ])('accepts %s and returns %s', async (sent, answered) => {
    const { status, body } = await create(sent)
    expect([status, body.expiration_at]).toEqual([201, answered])
    expect((await started.request('GET', `/v4/shortlinks/${body.id}`)).body.expiration_at).toBe(answered)
  })

  it.each([
    ['a moment less than five minutes ahead', '2026-03-01T12:04:59+0000'],
    ['now', '2026-03-01T12:00:00+0000'],
    ['the past', '2025-03-01T12:00:00+0000'],
    ['a moment more than one year ahead', '2027-03-01T12:00:01+0000'],
    ['a day that does not exist', '2026-09-31T12:00:00+0000'],
    ['a time without offset', '2026-09-30T12:00:00'],
    ['words', 'next week'],
    ['a number', 1790000000],
    ['a list', ['2026-03-02T12:00:00+0000']],
  ])('answers 400 INVALID_ARG_EXPIRATION_AT for %s', async (_, sent) => {
    const { status, body } = await create(sent)
    expect([status, body.message, body.resource]).toEqual([400, 'INVALID_ARG_EXPIRATION_AT', 'shortlinks'])
    expect(body.errors).toEqual([{ field: 'expiration_at', error_code: 'invalid' }])
  })

  it('answers 410 on redirect and expand after it, and the link stays readable and editable', async () => {
    const { body } = await create('2026-03-01T13:00:00+0000', { keyword: 'ending' })
    expect([await visit(body.id), await visit(`${started.domain}/ending`)]).toEqual([301, 301])
    now = Date.parse('2026-03-01T13:00:00Z')
    expect([await visit(body.id), await visit(`${started.domain}/ending`)]).toEqual([410, 410])
    const expanded = await started.request('POST', '/v4/expand', { body: { shortlink_id: body.id } })
    expect([expanded.status, expanded.body.message]).toEqual([410, 'GONE'])
    expect((await started.request('GET', `/v4/shortlinks/${body.id}`)).status).toBe(200)
    expect((await patch(body.id, { title: 'still here' })).status).toBe(200)

    expect((await patch(body.id, { expiration_at: '2026-03-01T14:00:00+0000' })).status).toBe(200)
    expect([await visit(body.id), await visit(`${started.domain}/ending`)]).toEqual([301, 301])
    now = start
  })

  it('is removed by an empty string, and kept with null', async () => {
    const { body } = await create('2026-03-01T13:00:00+0000')
    expect((await patch(body.id, { expiration_at: null })).body.expiration_at).toBe('2026-03-01T13:00:00+0000')
    const cleared = await patch(body.id, { expiration_at: '' })
    expect(cleared.status).toBe(200)
    expect(cleared.body).not.toHaveProperty('expiration_at')
    now = Date.parse('2026-06-01T00:00:00Z')
    expect(await visit(body.id)).toBe(301)
    now = start
  })

  it('prevents reuse of the link', async () => {
    const long_url = aUrl()
    const expiring = await create('2026-03-01T13:00:00+0000', { long_url })
    const plain = await started.request('POST', '/v4/shorten', { body: { long_url } })
    expect([plain.status, plain.body.id === expiring.body.id]).toEqual([201, false])
    await patch(plain.body.id, { expiration_at: '2026-03-01T13:00:00+0000' })
    expect((await started.request('POST', '/v4/shorten', { body: { long_url } })).status).toBe(201)
  })
})
