import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { organize, unreadableBodies } from './organize.js'

const day = 86_400_000
let now = Date.parse('2026-03-10T12:00:00Z')
const started = useApp({}, { clock: { now: () => now } })
let path: string
beforeAll(async () => {
  path = `/v4/groups/${started.groupGuid}/links/clicks/series`
})

let made = 0
const aLink = async (more: object = {}): Promise<string> => {
  const body = { long_url: `https://example.com/${made++}`, ...more }
  return (await started.request('POST', '/v4/shortlinks', { body })).body.id
}
const browser = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0.0.0 Safari/537.36'
const visit = async (id: string, agent = browser) => {
  const headers = { 'user-agent': agent }
  expect((await started.request('GET', `/${id.split('/')[1]}`, { token: null, headers })).status).toBe(301)
}
const ask = (body: object, token?: string) => started.request('POST', path, { body, ...(token && { token }) })

describe('POST /v4/groups/{group_guid}/links/clicks/series', () => {
  it('answers 200 with the clicks per day of each link, of all its addresses, newest first', async () => {
    const keyword = `both-${made}`
    const [one, two, none] = [await aLink({ keyword }), await aLink(), await aLink()]
    now -= 2 * day
    await visit(one)
    await visit(`x/${keyword}`)
    await started.clicksCounted()
    now += 2 * day
    await visit(one)
    await visit(two)
    await visit(two, 'Googlebot/2.1 (+http://www.google.com/bot.html)')
    await started.clicksCounted()
    const { status, body } = await ask({ shortlinks: [one, `http://${two}`, none], units: 3 })
    expect(status).toBe(200)
    expect(body.links.toSorted((a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1))).toEqual(
      [
        { id: one, total_clicks: 3, clicks: [1, 0, 2] },
        { id: two, total_clicks: 1, clicks: [1, 0, 0] },
        { id: none, total_clicks: 0, clicks: [0, 0, 0] },
      ].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    )
    expect(body.dates).toEqual(['2026-03-10', '2026-03-09', '2026-03-08'].map((date) => `${date}T00:00:00+0000`))
    expect([body.unit, body.units, body.unit_reference]).toEqual(['day', 3, '2026-03-10T12:00:00+0000'])
    const all = (await ask({ shortlinks: [two], units: 1, traffic: 'all' })).body
    expect(all.links[0].total_clicks).toBe(2)
    const shifted = (await ask({ shortlinks: [one], units: 1, zone: 'Asia/Tokyo' })).body
    expect(shifted.dates).toEqual(['2026-03-09T15:00:00+0000'])
  })

  it('has thirty days by default', async () => {
    const { body } = await ask({ shortlinks: [await aLink()] })
    expect([body.units, body.dates.length, body.links[0].clicks.length]).toEqual([30, 30, 30])
  })

  it('leaves out what is unknown, deleted or of another group', async () => {
    const gone = await aLink()
    await started.request('DELETE', `/v4/shortlinks/${gone}`)
    const elsewhere = await aLink({ group_guid: await organize(started).group() })
    const { status, body } = await ask({
      shortlinks: [gone, elsewhere, 'nowhere.example/abc', `${started.domain}/none`],
    })
    expect([status, body.links]).toEqual([200, []])
  })

  it.each([
    ['shortlinks', {}],
    ['shortlinks', { shortlinks: [] }],
    ['shortlinks', { shortlinks: Array(101).fill('sho.rt/a') }],
    ['shortlinks', { shortlinks: ['no address'] }],
    ['units', { shortlinks: ['sho.rt/a'], units: 367 }],
    ['units', { shortlinks: ['sho.rt/a'], units: -1 }],
    ['unit', { shortlinks: ['sho.rt/a'], unit: 'year' }],
    ['zone', { shortlinks: ['sho.rt/a'], zone: 'Mars/Base' }],
  ])('answers 400 and names %s for %j', async (field, body) => {
    const answer = await ask(body)
    expect([answer.status, answer.body.message]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`])
  })

  it.each(unreadableBodies)('answers the documented status for %s', async (_, body, status) => {
    const headers = { 'content-type': 'application/json' }
    expect((await started.request('POST', path, { body, headers })).status).toBe(status)
  })

  it('answers readers, and 403 to strangers', async () => {
    const shortlinks = [await aLink()]
    expect((await ask({ shortlinks }, await aMember(started, started.groupGuid, 'reader'))).status).toBe(200)
    expect((await ask({ shortlinks }, (await aStranger(started)).token)).status).toBe(403)
  })
})
