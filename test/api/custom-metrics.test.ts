import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { firstOrganization, organize } from './organize.js'
import { badSizes, badWindows, refusedArgument, visit } from './visits.js'

let now = Date.parse('2026-03-10T10:00:00Z')
const started = useApp({ trustProxy: 1 }, { clock: { now: () => now } })
let organization: string
let id: string
const domain = 'go.brand.example'
const word = `${domain}/sale`
const [first, second, third] = ['https://example.com/first', 'https://example.com/second', 'https://example.com/third']
const window = { unit: 'day', units: -1, unit_reference: '2026-03-18T14:00:00+0000' }
beforeAll(async () => {
  organization = await firstOrganization(started)
  await organize(started).domain(domain, organization, [started.groupGuid])
  id = await aLink(first)
  await started.request('POST', '/v4/custom_shortlinks', { body: { custom_shortlink: word, shortlink_id: id } })
  now = Date.parse('2026-03-15T10:00:00Z')
  await visit(started, word)
  await visit(started, id)
  await started.request('PATCH', `/v4/shortlinks/${id}`, { body: { long_url: second } })
  now = Date.parse('2026-03-16T10:00:00Z')
  await visit(started, word)
  await visit(started, word, { scan: true })
  await visit(started, word, { agent: 'robot' })
  now = Date.parse('2026-03-18T14:00:00Z')
  const body = { shortlink_id: await aLink(third) }
  await started.request('PATCH', `/v4/custom_shortlinks/${word}`, { body })
  for (let times = 0; times < 3; times++) await visit(started, word)
  await started.clicksCounted()
})

async function aLink(long_url: string, on = domain): Promise<string> {
  return (await started.request('POST', '/v4/shortlinks', { body: { long_url, domain: on } })).body.id
}
const ask = (path: string, options: { token?: string } = {}) =>
  started.request('GET', `/v4/custom_shortlinks/${path}`, options)

describe('GET /v4/custom_shortlinks/{custom_shortlink}/clicks', () => {
  it('returns its entire history, across all destinations', async () => {
    const { status, body } = await ask(`${word}/clicks`)
    expect(status).toBe(200)
    expect(body).toMatchObject(window)
    expect(body.link_clicks.map(({ clicks }: { clicks: number }) => clicks)).toEqual([3, 0, 1, 1, 0, 0, 0, 0, 0])
    expect(body.link_clicks.at(-1).date).toBe('2026-03-10T00:00:00+0000')
  })

  it('returns the requested window', async () => {
    const { body } = await ask(`${word}/clicks?unit=week&units=1`)
    expect(body).toEqual({
      link_clicks: [{ date: '2026-03-16T00:00:00+0000', clicks: 4 }],
      unit: 'week',
      units: 1,
      unit_reference: window.unit_reference,
    })
  })
})

describe('GET /v4/custom_shortlinks/{custom_shortlink}/clicks_by_destination', () => {
  it('returns clicks by destination, highest first', async () => {
    const { status, body } = await ask(`${word}/clicks_by_destination`)
    expect(status).toBe(200)
    expect(body).toEqual({
      metrics: [
        { value: third, clicks: 3 },
        { value: first, clicks: 1 },
        { value: second, clicks: 1 },
      ],
      facet: 'destinations',
      ...window,
    })
  })

  it('follows window and size', async () => {
    const { body } = await ask(`${word}/clicks_by_destination?units=1&unit_reference=2026-03-16T12:00:00%2B0000`)
    expect(body.metrics).toEqual([{ value: second, clicks: 1 }])
    expect((await ask(`${word}/clicks_by_destination?size=2`)).body.metrics).toHaveLength(2)
  })

  it('answers 400 INVALID_ARG_SIZE for invalid sizes', async () => {
    for (const [query, field] of badSizes) {
      const { status, body } = await ask(`${word}/clicks_by_destination?${query}`)
      expect([query, status, body]).toEqual([query, 400, refusedArgument(field, 'shortlinks')])
    }
  })
})

describe.each(['clicks', 'clicks_by_destination'])('GET /v4/custom_shortlinks/{custom_shortlink}/%s', (path) => {
  it('answers 200 to readers, and accepts %2F', async () => {
    const token = await aMember(started, started.groupGuid, 'reader')
    expect((await ask(`${encodeURIComponent(word)}/${path}`, { token })).status).toBe(200)
  })

  it('answers 400 and names the invalid argument', async () => {
    for (const [query, field] of badWindows) {
      const { status, body } = await ask(`${word}/${path}?${query}`)
      expect([query, status, body]).toEqual([query, 400, refusedArgument(field, 'shortlinks')])
    }
  })

  it("answers 403 for someone else's, before it looks at the arguments", async () => {
    const { token } = await aStranger(started)
    const { status, body } = await ask(`${word}/${path}?unit=year`, { token })
    expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'groups'])
  })

  it('answers 200 for a keyword of a built-in domain', async () => {
    await started.request('POST', '/v4/shortlinks', {
      body: { long_url: 'https://example.com/built-in', keyword: `built-in-${path}` },
    })
    expect((await ask(`${started.domain}/built-in-${path}/${path}`)).status).toBe(200)
  })

  it('answers 404 for an id that is not a keyword', async () => {
    for (const address of [`${domain}/none`, id]) {
      const { status, body } = await ask(`${address}/${path}?unit=year`)
      expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', 'shortlinks'])
    }
  })

  it('answers 410 when its domain was removed', async () => {
    const gone = await organize(started).domain(`${path.replaceAll('_', '-')}.example`, organization, [
      started.groupGuid,
    ])
    const shortlink_id = await aLink('https://example.com/gone', gone)
    await started.request('POST', '/v4/custom_shortlinks', { body: { custom_shortlink: `${gone}/word`, shortlink_id } })
    await started.app.domainStore.remove(organization, gone, now)
    await started.app.domains.refresh()
    const { status, body } = await ask(`${gone}/word/${path}`)
    expect([status, body.message, body.resource]).toEqual([410, 'GONE', 'shortlinks'])
  })
})
