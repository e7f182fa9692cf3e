import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../support/start-app.js'

import { aStranger } from './alter-records.js'
import { organize } from './organize.js'
import { visit } from './visits.js'

let started: StartedApp
let path: string
const campaigns: Record<string, string> = {}

beforeAll(async () => {
  started = await startApp({ trustProxy: 1 })
  const { groupGuid: group_guid } = started
  path = `/v4/groups/${group_guid}/campaigns/metrics`
  const [poster, letter] = [await aLink('poster'), await aLink('letter')]
  for (const name of ['Spring', 'Summer', 'Winter']) {
    campaigns[name] = (await post('/v4/campaigns', { group_guid, name })).guid
  }
  const placed = (campaign: string, shortlink_id: string) => ({ campaign_guid: campaigns[campaign], shortlink_id })
  await post('/v4/channels', { group_guid, name: 'Posters', shortlinks: [placed('Spring', poster)] })
  // The letter is in two campaigns.
  const shortlinks = [placed('Spring', letter), placed('Summer', letter)]
  await post('/v4/channels', { group_guid, name: 'Letters', shortlinks })
  await visit(started, poster)
  await visit(started, poster, { scan: true })
  await visit(started, letter)
  await visit(started, letter, { agent: 'robot' })
  await started.clicksCounted()
})
afterAll(() => started.close())

async function post(to: string, body: object) {
  const answer = await started.request('POST', to, { body })
  expect(answer.status).toBeLessThan(300)
  return answer.body
}

async function aLink(name: string): Promise<string> {
  return (await post('/v4/shortlinks', { long_url: `https://example.com/${name}`, tags: [name] })).id
}

const ask = (query: string) => started.request('GET', `${path}?${query}`)
const named = (...names: string[]) => names.map((name) => `campaign_guid=${campaigns[name]}`).join('&')

describe('GET /v4/groups/{group_guid}/campaigns/metrics', () => {
  it('answers with links, channels, clicks, scans and counts over time of each campaign', async () => {
    const { status, body } = await ask(`${named('Summer', 'Spring', 'Winter')}&unit=day&units=2`)
    expect(status).toBe(200)
    const none = { button_clicks: 0, scans: 0 }
    expect(body.campaigns).toEqual([
      { ...none, guid: campaigns.Summer, links: 1, channels: 1, engagements: 1, clicks: 1, counts: [1, 0] },
      { ...none, guid: campaigns.Spring, links: 2, channels: 2, engagements: 3, clicks: 2, scans: 1, counts: [3, 0] },
      { ...none, guid: campaigns.Winter, links: 0, channels: 0, engagements: 0, clicks: 0, counts: [0, 0] },
    ])
    expect([body.unit, body.units]).toEqual(['day', 2])
  })

  it('counts only links that have a tag, as the report of each campaign does', async () => {
    const counts = async (tag: string) => {
      const { body } = await ask(`${named('Spring', 'Summer')}&unit=day&units=2&tag=${tag}`)
      return body.campaigns.map(({ engagements }: { engagements: number }) => engagements)
    }
    expect(await counts('is:letter')).toEqual([1, 1])
    expect(await counts('is_not:letter')).toEqual([2, 0])
    const one = await started.request('GET', `/v4/campaigns/${campaigns.Spring}/metrics?tag=is:poster`)
    expect(one.body.engagements).toBe(2)
    expect((await ask(`${named('Spring')}&tag=letter`)).body.message).toBe('INVALID_ARG_TAG')
  })

  it('agrees with the report of each campaign, whichever traffic is counted', async () => {
    for (const traffic of ['human', 'bots', 'all']) {
      const { body } = await ask(`${named('Spring', 'Summer')}&traffic=${traffic}`)
      for (const { guid, engagements, clicks, scans } of body.campaigns) {
        const own = await started.request('GET', `/v4/campaigns/${guid}/metrics?traffic=${traffic}`)
        expect(own.body).toMatchObject({ engagements, clicks, scans })
      }
    }
  })

  it('takes guids joined by commas, and each once', async () => {
    const { body } = await ask(`campaign_guid=${campaigns.Spring},${campaigns.Summer},${campaigns.Spring}`)
    expect(body.campaigns.map(({ guid }: { guid: string }) => guid)).toEqual([campaigns.Spring, campaigns.Summer])
  })

  it('leaves out what is unknown or of another group', async () => {
    const group_guid = await organize(started).group()
    const elsewhere = (await post('/v4/campaigns', { group_guid, name: 'Elsewhere' })).guid
    const { status, body } = await ask(`campaign_guid=${elsewhere}&campaign_guid=Cunknown123`)
    expect([status, body.campaigns]).toEqual([200, []])
  })

  it.each(['', `campaign_guid=${Array(51).fill('Cabc1234567').join()}`])('answers 400 for "%s"', async (query) => {
    const { status, body } = await ask(query)
    expect([status, body.message, body.resource]).toEqual([400, 'INVALID_ARG_CAMPAIGN_GUID', 'groups'])
  })

  it('answers with counts of up to 366 units, and with totals alone of longer windows', async () => {
    const lengths = { 'units=366': 366, 'units=367': 0, 'units=-1': 0, '': 0, 'unit=minute&units=50000': 0 }
    for (const [window, length] of Object.entries(lengths)) {
      const { body } = await ask(`${named('Spring')}&${window}`)
      expect(body.campaigns).toMatchObject([{ engagements: 3, clicks: 2, scans: 1, button_clicks: 0 }])
      expect([window, body.campaigns[0].counts.length]).toEqual([window, length])
    }
  })

  it.each(['units=0', 'units=-2', 'units=50001', 'unit=year'])('answers 400 for %s', async (window) => {
    const { status, body } = await ask(`${named('Spring')}&${window}`)
    const message = `INVALID_ARG_${window.split('=')[0]?.toUpperCase()}`
    expect([status, body.message, body.resource]).toEqual([400, message, 'groups'])
  })

  it('answers 403 to those who are not in the group', async () => {
    const { token } = await aStranger(started)
    const { status } = await started.request('GET', `${path}?${named('Spring')}`, { token })
    expect(status).toBe(403)
  })
})
