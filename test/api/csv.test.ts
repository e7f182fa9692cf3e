import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { aStranger } from './alter-records.js'
import { visit } from './visits.js'

let now = Date.parse('2026-03-17T10:00:00Z')
const started = useApp({ trustProxy: 1 }, { clock: { now: () => now } })
let link: string
let group: string
beforeAll(async () => {
  const { body } = await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/csv' } })
  link = `/v4/shortlinks/${body.id}`
  group = `/v4/groups/${started.groupGuid}`
  now = Date.parse('2026-03-18T14:00:00Z')
  await visit(started, body.id, { referrer: 'https://l.instagram.com/abc' })
  await visit(started, body.id, { referrer: 'https://www.instagram.com/' })
  await visit(started, body.id, { referrer: 'https://www.instagram.com/', agent: 'phone' })
  await visit(started, body.id, { from: 'nowhere', agent: 'phone' })
  await visit(started, body.id, { scan: true, agent: 'phone' })
  // Applications can have any name.
  await visit(started, body.id, { referrer: 'android-app://=2+5/x', from: 'mountainView' })
  await started.clicksCounted()
})

const ask = (path: string, accept = 'text/csv', token?: string) =>
  started.request('GET', path, { headers: { accept }, ...(token !== undefined && { token }) })

const places = 'City, Subregion, Region, Country, Clicks'
const cities = `${places}\nLondon, , England, GB, 3\nMountain View, , California, US, 1\n`
const countries = 'Country, Clicks\nGB, 3\n, 1\nUS, 1\n'
const devices = 'Device Type, Clicks\nDesktop, 3\nMobile, 2\n'

const documented: readonly (readonly ['link' | 'group', string, string])[] = [
  ['link', 'clicks', 'Date, Clicks\n2026-03-18T00:00:00+0000, 5\n2026-03-17T00:00:00+0000, 0\n'],
  ['link', 'engagements', 'Date, Engagements\n2026-03-18T00:00:00, 6\n2026-03-17T00:00:00, 0\n'],
  ['link', 'countries', countries],
  ['link', 'cities', cities],
  ['link', 'devices', devices],
  [
    'link',
    'referrers',
    'Referrers, Domain/Sub-Domain, Clicks\n' +
      "Instagram, www.instagram.com, 2\n'=2+5, '=2+5, 1\nInstagram, l.instagram.com, 1\ndirect, direct, 1\n",
  ],
  ['link', 'referrer_name', "Referrer-Name,Clicks\nInstagram,3\n'=2+5,1\ndirect,1\n"],
  ['group', 'countries', countries],
  ['group', 'cities', cities],
  ['group', 'devices', devices],
  ['group', 'referrers', "Referrer,Clicks\nInstagram,3\n'=2+5,1\ndirect,1\n"],
]

describe('CSV', () => {
  it.each(documented)('of a %s has the documented columns and rows: %s', async (what, path, text) => {
    const answer = await ask(`${what === 'link' ? link : group}/${path}`)
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(answer.headers.vary).toBe('accept')
    expect(answer.text).toBe(text)
  })

  it('is returned only on request', async () => {
    for (const accept of [
      'application/json',
      '*/*',
      'application/json, text/csv;q=0.5',
      'text/csv;q=0.5, */*',
      'text/html',
    ]) {
      const answer = await ask(`${link}/countries`, accept)
      expect(answer.headers['content-type']).toContain('json')
      expect(answer.headers.vary).toBe('accept')
    }
  })

  it('follows size and window', async () => {
    expect((await ask(`${link}/countries?size=1`)).text).toBe('Country, Clicks\nGB, 3\n')
    expect((await ask(`${link}/countries?units=1&unit_reference=2026-03-01T00:00:00%2B0000`)).text).toBe(
      'Country, Clicks\n',
    )
    expect((await ask(`${link}/countries?measure=visitors`)).text).toBe('Country, Clicks\nGB, 2\n, 1\nUS, 1\n')
  })

  it('is not used for errors', async () => {
    const refused = await ask(`${link}/cities?size=0`)
    expect([refused.status, refused.body.message]).toEqual([400, 'INVALID_ARG_SIZE'])
    const { token } = await aStranger(started)
    expect((await ask(`${group}/cities`, 'text/csv', token)).body.message).toBe('FORBIDDEN')
    expect((await ask(`${link}x/cities`)).body.message).toBe('NOT_FOUND')
  })

  it.each([
    ['link', 'clicks/summary'],
    ['link', 'engagements/summary'],
    ['link', 'referring_domains'],
    ['link', 'referrers_by_domains'],
    ['group', 'clicks'],
    ['group', 'referring_networks'],
    ['group', 'shortlinks/clicks'],
    ['group', 'links/clicks/countries'],
    ['group', 'codes/scans/countries'],
  ])('is not offered for %s %s, which stays JSON', async (what, path) => {
    const answer = await ask(`${what === 'link' ? link : group}/${path}`)
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
  })
})
