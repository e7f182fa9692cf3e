/** How views and buttons of sites are counted. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { operate } from '../../src/core/administration/operations.js'
import type { VisitKind } from '../../src/core/clicks/dimensions.js'
import type { Visit } from '../../src/core/clicks/journal.js'
import type { LinkDraft } from '../../src/core/links/link.js'
import type { Block, SiteDocument } from '../../src/core/sites/site.js'
import { newGuid } from '../../src/core/values/guid.js'
import { ClickhouseServer } from '../support/clickhouse-server.js'
import { plansFile } from '../support/plans-file.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { aStranger } from './alter-records.js'
import { firstOrganization, organize } from './organize.js'
import { agents, badWindows, refusedArgument } from './visits.js'

const plans = plansFile({ bare: { features: [] } })

/** With records on PostgreSQL (API_RECORDS) clicks are on ClickHouse, if it can be had: both kinds of an installation are tested. */
const clickhouse = new ClickhouseServer()
const isOnServers = inject('apiRecords') === 'postgres' && ClickhouseServer.skip() === undefined

let started: StartedApp
beforeAll(async () => {
  const clicks = isOnServers && { clickhouseUrl: await clickhouse.newDatabase() }
  started = await startApp({ trustProxy: 1, plans, ...clicks })
})
afterAll(async () => {
  await started.close()
  await clickhouse.stop()
})

async function make(path: string, body: object) {
  const answer = await started.request('POST', path, { body })
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body
}

/** Opens the address as a person does, with this query. */
async function open(address: string, query = '') {
  const [host = '', backHalf] = address.split('/')
  const headers = { host, 'user-agent': agents.desktop, 'x-forwarded-for': '81.2.69.142' }
  expect((await started.request('GET', `/${backHalf}${query}`, { token: null, headers })).status).toBe(301)
}

/** Puts visits of this kind into the journal, as the page of a site does. */
async function record(kind: VisitKind, address: string, visits: number, more: Partial<Visit> = {}) {
  const target = await started.app.redirectCache.load(started.app.domains.addressOf(...split(address)) ?? '')
  if (!target) throw new Error(`nothing at ${address}`)
  const visit = {
    at: Date.now(),
    method: 'GET',
    kind,
    site: '',
    visitor: '81.2.69.142',
    userAgent: agents.phone,
  } as const
  for (let number = 0; number < visits; number++) {
    const answered = (done: () => void) =>
      started.app.journal.record(target, { ...visit, referrer: '', language: '', purpose: '', ...more }, done)
    await new Promise<void>((done) => answered(done))
  }
  await started.clicksCounted()
}

function split(address: string): [string, string] {
  const [domain = '', ...segments] = address.split('/')
  return [domain, segments.join('/')]
}

describe('a button', () => {
  it('is counted as a button click of its link, and not as a click', async () => {
    const { id } = await make('/v4/shortlinks', { long_url: 'https://example.com/button' })
    await open(id, '?r=M3xYz12AbCd')
    await open(id, '?utm_source=mail&r=M3xYz12AbCd')
    await open(id, '?r=qr')
    await open(id)
    for (const other of ['?r=M3xYz12AbC', '?r=M3xYz12AbCdE', '?r=m3xYz12AbCd', '?ar=M3xYz12AbCd']) await open(id, other)
    await started.clicksCounted()
    const engagements = { lib_button_clicks: 2, clicks: 5, scans: 1 }
    const { body } = await started.request('GET', `/v4/shortlinks/${id}/engagements/summary`)
    expect(body).toMatchObject({ total_engagements: 8, engagements })
    expect((await started.request('GET', `/v4/shortlinks/${id}/clicks/summary`)).body.total_clicks).toBe(5)
    const { body: totals } = await started.request('GET', `/v4/shortlinks/${id}/metrics`)
    expect(totals).toMatchObject({ engagements: 8, clicks: 5, scans: 1, button_clicks: 2 })
    const { body: exported } = await started.request('POST', `/v4/groups/${started.groupGuid}/exports`, {
      body: { export_type: 'link_engagements_batch', shortlinks: [id] },
    })
    const [header = '', row = ''] = Buffer.from(exported.data_uri.split(',')[1], 'base64').toString().split('\n')
    const columns = header.split(',')
    const of = (name: string) => row.split(',')[columns.indexOf(name)]
    expect(['engagements', 'clicks', 'scans', 'button_clicks'].map(of)).toEqual(['8', '5', '1', '2'])
  })
})

describe('a view of a site', () => {
  it('changes no answer about links, QR codes, campaigns, groups and usage', async () => {
    const { groupGuid: group_guid } = started
    const link = await make('/v4/shortlinks', { long_url: 'https://example.com/viewed', tags: ['autumn'] })
    const custom = `${started.domain}/viewed`
    await make('/v4/shortlinks', { shortlink_id: link.id, keyword: 'viewed' })
    const code = await make('/v4/qr-codes', { group_guid, destination: { shortlink_id: link.id } })
    const campaign = await make('/v4/campaigns', { group_guid, name: 'Autumn' })
    const channel = { campaign_guid: campaign.guid, shortlink_id: link.id }
    await make('/v4/channels', { group_guid, name: 'Posters', shortlinks: [channel] })
    for (const query of ['', '?r=qr', '?r=M3xYz12AbCd']) await open(custom, query)
    await started.clicksCounted()

    const [domain = '', hash = ''] = link.id.split('/')
    const organization_guid = (await started.request('GET', '/v4/organizations')).body.organizations[0].guid
    const places = { group_guid, organization_guid, domain, hash, keyword: 'viewed', campaign_guid: campaign.guid }
    const paths = readPaths({ ...places, qrcode_id: code.qrcode_id, sort: 'clicks' })
    expect(paths.length).toBeGreaterThan(80)
    const ask = async () => {
      const answers = new Map<string, string>()
      for (const path of paths) {
        const { status, text } = await started.request('GET', path, { headers: { accept: 'text/csv' }, isShown: false })
        expect(status, path).toBe(200)
        answers.set(path, text)
      }
      return answers
    }
    const before = await ask()
    await record('view', custom, 5)
    await record('view', link.id, 5)
    const after = await ask()
    expect(paths.filter((path) => after.get(path) !== before.get(path))).toEqual([])
  })

  /** Every report, list and count that a view could change; those of sites count them. */
  function readPaths(places: Readonly<Record<string, string>>): readonly string[] {
    const document = JSON.parse(readFileSync('docs/openapi/v4.json', 'utf8'))
    const about = new Set(['Metrics', 'Links', 'Custom short links', 'QR codes', 'Campaigns', 'Channels', 'Groups'])
    const wanted = Object.entries<Record<string, { tags: string[]; parameters?: Parameter[] }>>(document.paths)
    const reference = encodeURIComponent(new Date(Date.now() + 60_000).toISOString())
    return wanted.flatMap(([path, { get }]) => {
      if (!get?.tags.some((tag) => about.has(tag)) || notCompared.test(path)) return []
      const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name) => places[name] ?? whole)
      const names = new Set(get.parameters?.map(({ name, $ref }) => name ?? $ref?.split('/').at(-1)))
      const dimension = /\{dimension\}/.exec(filled)
      const values = dimension ? ['countries', 'cities', 'devices', 'referrers', 'addresses', 'destinations'] : ['']
      if (/\{(?!dimension)/.test(filled)) return []
      const query = [
        ...(names.has('unit_reference') ? [`unit_reference=${reference}`] : []),
        ...(names.has('traffic') ? ['traffic=all'] : []),
        ...(names.has('campaign_guid') ? [`campaign_guid=${places.campaign_guid}`] : []),
        ...(names.has('keyword') ? ['keyword=viewed'] : []),
      ].join('&')
      return values.map((value) => `${filled.replace('{dimension}', value)}?${query}`)
    })
  }
})

/** Streams, pictures, the reports of sites, and how many requests were made. */
const notCompared = /\/events$|image|\/qr$|\/sites|_usage$/

interface Parameter {
  readonly name?: string
  readonly $ref?: string
}

/** A published site with a button for each of these links. */
async function aSite(name: string, linkIds: readonly string[], groupGuid = started.groupGuid) {
  const { app, domain } = started
  const blocks = linkIds.map(
    (linkId, index): Block => ({
      id: newGuid('site'),
      type: 'shortlink',
      content: {
        linkId: app.domains.addressOf(...split(linkId)) ?? '',
        ...(index === 0 && linkIds.length > 1 && { title: 'First' }),
      },
      isActive: true,
      isPinned: false,
      isSample: false,
    }),
  )
  const guid = newGuid('site')
  const address = app.domains.addressOf(domain, `m/${name}`) ?? ''
  const document = { displayName: name, description: '', appearance: { header: {} }, blocks } as unknown as SiteDocument
  const link = {
    groupGuid,
    organizationGuid: await firstOrganization(started),
    domain: app.domains.default.key,
    longUrl: `http://${domain}/m/${name}`,
    createdBy: 'admin',
    at: Date.now(),
  } as LinkDraft
  const made = await app.sites.create({ guid, address, document, link }, () => newGuid('site').slice(1, 8))
  expect(made.outcome).toBe('done')
  await app.sites.publish(guid, Date.now())
  return { guid, uri: `${domain}/m/${name}`, blocks: blocks.map(({ id }) => id) }
}

const get = (path: string, token?: string) => started.request('GET', path, { ...(token !== undefined && { token }) })
const csvFrom = (path: string) => started.request('GET', path, { headers: { accept: 'text/csv' } })

describe('the metrics of sites', () => {
  let shop: Awaited<ReturnType<typeof aSite>>
  let band: Awaited<ReturnType<typeof aSite>>
  let empty: Awaited<ReturnType<typeof aSite>>
  const links: string[] = []
  let stranger: Awaited<ReturnType<typeof aStranger>>
  beforeAll(async () => {
    for (const name of ['one', 'two', 'three']) {
      links.push((await make('/v4/shortlinks', { long_url: `https://example.com/${name}`, title: name })).id)
    }
    const [one = '', two = '', three = ''] = links
    shop = await aSite('shop', [one, two])
    band = await aSite('band', [two])
    empty = await aSite('empty', [])
    stranger = await aStranger(started)
    await record('view', shop.uri, 3)
    await record('view', shop.uri, 1, { visitor: '8.8.8.8', referrer: 'https://l.instagram.com/' })
    await record('view', shop.uri, 7, { userAgent: agents.robot })
    await record('view', band.uri, 1, { userAgent: agents.desktop })
    await record('button', shop.uri, 2, { site: shop.guid })
    await record('scan', band.uri, 1, { userAgent: agents.desktop })
    await open(one, `?r=${shop.guid}`)
    await open(two, `?r=${shop.guid}`)
    await open(two, `?r=${shop.guid}`)
    await open(two, `?r=${band.guid}`)
    // Neither a link of the site, nor a site, nor a button.
    await open(three, `?r=${shop.guid}`)
    await open(one, '?r=M0000000000')
    await open(one)
    const body = { long_url: 'https://example.com/theirs' }
    const theirs = await started.request('POST', '/v4/shortlinks', { body, token: stranger.token })
    await open(theirs.body.id, `?r=${shop.guid}`)
    await started.clicksCounted()
  })

  const site = (path: string) => get(`/v4/sites/${shop.guid}/${path}`)
  const sites = (path: string, query = `site=${shop.guid}&site=${band.guid}`) =>
    get(`/v4/aggregate/sites/${path}?unit=day&units=2&${query}`)

  it('count the views of one over time, in total and by what is known about them', async () => {
    const today = `${new Date().toISOString().slice(0, 10)}T00:00:00+0000`
    expect((await site('views?units=2')).body).toMatchObject({
      ...{ unit: 'day', units: 2, facet: 'views' },
      site_views: [{ views: 4, value: today }, { views: 0 }],
    })
    const { body } = await site('views/summary?unit=hour&units=-1')
    expect(body).toEqual({ total_views: 4, unit: 'hour', units: -1, unit_reference: expect.any(String) })
    expect((await site('views/summary?traffic=bots')).body.total_views).toBe(7)
    expect((await site('views/summary?measure=visitors')).body.total_views).toBe(2)
    const rows = async (path: string) => (await site(path)).body
    expect(await rows('countries')).toMatchObject({
      facet: 'countries',
      site_views: [
        { views: 3, value: 'GB' },
        { views: 1, value: 'US' },
      ],
    })
    expect(await rows('devices?size=1')).toMatchObject({
      facet: 'devices',
      site_views: [{ views: 4, value: 'Mobile' }],
    })
    const referrers = {
      facet: 'referrers',
      site_views: [
        { views: 3, value: 'direct' },
        { views: 1, value: 'Instagram' },
      ],
    }
    expect(await rows('referrers')).toMatchObject(referrers)
    expect(await rows('cities?size=1')).toMatchObject({
      facet: 'cities',
      site_views: [{ views: 3, value: 'London', country: 'GB' }],
      other_metrics: { other_city_views: 1, no_city_views: 0 },
    })
  })

  it('are the same as CSV', async () => {
    const csv = async (path: string) => (await csvFrom(`/v4/sites/${shop.guid}/${path}`)).text
    expect(await csv('countries')).toBe('Country, Views\nGB, 3\nUS, 1\n')
    expect(await csv('referrers')).toBe('Referrer, Views\ndirect, 3\nInstagram, 1\n')
    expect(await csv('views?units=1')).toMatch(/^Date, Views\n.*, 4\n$/)
    expect(await csv('cities?size=1')).toMatch(/^City, Subregion, Region, Country, Views\nLondon, .*GB, 3\n$/)
    expect(await csv('link_performance')).toMatch(
      /^Link, Title, Long URL, Type, Active, Clicks\n.*two, .*, 2\n.*one, .*, 1\n$/,
    )
    const { text } = await csvFrom(`/v4/aggregate/sites/clicks/over_time?unit=day&units=1&site=${shop.guid}`)
    expect(text).toMatch(/^Date, Clicks\n.*, 4\n$/)
  })

  it('count the clicks of each link that is or was on one, deleted ones too', async () => {
    const [one = '', two = ''] = links
    const { body } = await site('link_performance?units=1')
    const row = { type: 'shortlink', is_active: true, domain: started.domain }
    expect(body).toMatchObject({
      total: 3,
      link_clicks: [
        {
          ...row,
          clicks: 2,
          title: 'two',
          long_url: 'https://example.com/two',
          shortlink_id: two,
          keyword: split(two)[1],
        },
        {
          ...row,
          clicks: 1,
          title: 'First',
          long_url: 'https://example.com/one',
          shortlink_id: one,
          keyword: split(one)[1],
        },
      ],
      page: { prev: '', next: '', page: 1, total: 2, size: 50 },
    })
    expect(Date.parse(body.performance_end) - Date.parse(body.performance_start)).toBe(86_400_000)
    const first = (await site('link_performance?size=1')).body
    expect([first.link_clicks.length, first.page.prev]).toEqual([1, ''])
    const second = (await get(first.page.next.replace(/^.*(?=\/v4)/, ''))).body
    expect(second.link_clicks[0].shortlink_id).toBe(one)
    expect([second.page.page, second.page.next]).toEqual([2, ''])

    const { id } = await make('/v4/shortlinks', { long_url: 'https://example.com/leaves', title: 'leaves' })
    const { guid } = await aSite('leaving', [id])
    await open(id, `?r=${guid}`)
    await started.clicksCounted()
    const ask = async () => (await get(`/v4/sites/${guid}/link_performance`)).body.link_clicks
    expect(await ask()).toMatchObject([{ title: 'leaves', clicks: 1, is_active: true }])
    const publishWith = async (change: (block: Block) => readonly Block[]) => {
      const step = (draft: SiteDocument) => ({ ...draft, blocks: draft.blocks.flatMap(change) })
      await started.app.sites.change(guid, step, Date.now())
      await started.app.sites.publish(guid, Date.now())
    }
    await publishWith((block) => [{ ...block, isActive: false }])
    expect(await ask()).toMatchObject([{ title: 'leaves', clicks: 1, is_active: false }])
    await publishWith((block) => [{ ...block, isActive: true }])
    expect(await ask()).toMatchObject([{ title: 'leaves', clicks: 1, is_active: true }])
    await publishWith((block) => [{ ...block, scheduleStart: Date.now() + 86_400_000 }])
    expect(await ask()).toMatchObject([{ title: 'leaves', clicks: 1, is_active: false }])
    await publishWith((block) => [{ ...block, content: { ...block.content, title: 'Our shop' } } as Block])
    expect(await ask()).toMatchObject([{ title: 'Our shop' }])
    await publishWith(() => [])
    expect(await ask()).toMatchObject([{ title: 'leaves', clicks: 1, is_active: false }])
    expect((await started.request('DELETE', `/v4/shortlinks/${id}`)).status).toBe(200)
    expect(await ask()).toMatchObject([{ title: 'leaves', clicks: 1, is_active: false }])
    await started.app.sites.deactivate(guid, Date.now())
  })

  it('count several together, and only clicks in their own groups', async () => {
    const { body } = await sites('overview')
    expect(body).toEqual({ views: 6, clicks: 5, info: 'Views and clicks of 2 sites' })
    expect((await sites('overview', `site=${shop.guid}`)).body).toMatchObject({ views: 4, clicks: 4 })
    const midnight = Math.floor(Date.now() / 86_400_000) * 86_400
    const series = (clicks: number, info: string) => ({
      ...{ info, unit: 'day', units: 2, unit_reference: expect.any(String) },
      clicks: [
        { date: midnight, clicks },
        { date: midnight - 86_400, clicks: 0 },
      ],
    })
    expect((await sites('views/over_time')).body).toEqual(series(6, 'Views of 2 sites'))
    expect((await sites('clicks/over_time')).body).toEqual(series(5, 'Clicks of 2 sites'))
    const downloads = 'digital_business_card_downloads/over_time'
    expect((await sites(downloads)).body).toEqual(series(2, 'Downloads of 2 sites'))
    expect((await sites(downloads, '')).body).toEqual(series(2, 'Downloads of all sites'))
    const totals = async (path: string) => {
      const { facet, totals_for_time_period: rows } = (await sites(path)).body
      return [facet, ...rows.map((row: Record<string, unknown>) => `${row.value ?? row.city}: ${row.clicks}`)]
    }
    expect(await totals('views/countries')).toEqual(['countries', 'GB: 5', 'US: 1'])
    expect(await totals('views/devices')).toEqual(['devices', 'Mobile: 4', 'Desktop: 2'])
    expect(await totals('views/referrers')).toEqual(['referrers', 'direct: 5', 'Instagram: 1'])
    expect(await totals('views/cities')).toEqual(['cities', 'London: 5', 'Mountain View: 1'])
    expect(await totals('clicks/countries')).toEqual(['countries', 'GB: 5'])
    expect(await totals('clicks/devices')).toEqual(['devices', 'Desktop: 5'])
    expect(await totals('clicks/cities')).toEqual(['cities', 'London: 5'])
  })

  it('count no click in the group of another one of them', async () => {
    const second = await organize(started).group('Second', await firstOrganization(started))
    const { id } = await make('/v4/shortlinks', { long_url: 'https://example.com/first-group' })
    const [own, other] = [await aSite('own', [id]), await aSite('other', [], second)]
    for (const { guid } of [own, other, other]) await open(id, `?r=${guid}`)
    await started.clicksCounted()
    const both = `site=${own.guid}&site=${other.guid}`
    for (const measure of ['clicks', 'visitors']) {
      expect((await sites('overview', `${both}&measure=${measure}`)).body.clicks).toBe(1)
    }
    expect((await sites('clicks/devices', both)).body.totals_for_time_period).toEqual([{ value: 'Desktop', clicks: 1 }])
    for (const { guid } of [own, other]) await started.app.sites.deactivate(guid, Date.now())
  })

  it('rank the contacts of a business card by the ids of their links', async () => {
    const place = { group_guid: started.groupGuid, domain: started.domain, keyword: 'card' }
    const { site_guid: guid } = await make('/v4/sites', place)
    const contacts = ['one', 'two'].map((name, sort_order) => {
      return { contact_method: 'website', value: `https://example.com/card/${name}`, sort_order }
    })
    const card = { type: 'digital_business_card', content: { first_name: 'Ada', contacts } }
    const { content } = await make(`/v4/sites/${guid}/blocks`, card)
    expect((await started.request('POST', `/v4/sites/${guid}/publish`)).status).toBe(201)
    const ids: string[] = content.contacts.map((contact: { shortlink_id: string }) => contact.shortlink_id)
    for (const id of ids) await open(id, `?r=${guid}`)
    await started.clicksCounted()
    const { body } = await sites('clicks/top', `site=${guid}`)
    expect(body.sorted_buttons.map(({ id }: { id: string }) => id).sort()).toEqual(ids.toSorted())
    await started.app.sites.deactivate(guid, Date.now())
  })

  it('rank buttons, with the views of each page', async () => {
    const [, two = '', three = ''] = links
    const { body } = await sites('clicks/top', `site=${shop.guid}&site=${band.guid}&report_guid=x&brand_guid=y`)
    expect(body.info).toBe('Clicks of 2 sites')
    expect(body.sorted_buttons).toHaveLength(4)
    expect(body.sorted_buttons[0]).toEqual({ id: shop.blocks[1], clicks: 2 })
    const button = (id: string | undefined, title: string, { guid }: { guid: string }) => {
      return { id, title, button_type: 'shortlink', microsite_guid: guid }
    }
    expect(body.buttons[0]).toEqual(button(shop.blocks[1], 'two', shop))
    const others = [
      button(shop.blocks[0], 'First', shop),
      button(band.blocks[0], 'two', band),
      button(three, 'three', shop),
    ]
    expect(body.buttons.slice(1)).toEqual(expect.arrayContaining(others))
    expect(body.page_views).toEqual([
      { microsite_guid: shop.guid, uri: shop.uri, views: 4 },
      { microsite_guid: band.guid, uri: band.uri, views: 2 },
    ])
    expect((await sites('clicks/top', 'size=1')).body.buttons).toEqual([button(shop.blocks[1], 'two', shop)])
    expect(two).not.toBe(three)
  })

  it('are those of all sites without a site, and of an empty one nothing', async () => {
    const before = (await sites('overview', '')).body
    expect(before).toMatchObject({ info: 'Views and clicks of all sites' })
    await record('view', empty.uri, 1)
    await open(links[0] ?? '', `?r=${shop.guid}`)
    await started.clicksCounted()
    const after = (await sites('overview', '')).body
    expect([after.views - before.views, after.clicks - before.clicks]).toEqual([1, 1])
    expect((await sites('overview', `site=${empty.guid}`)).body).toMatchObject({ views: 1, clicks: 0 })
    expect((await sites('clicks/top', `site=${empty.guid}`)).body).toMatchObject({
      sorted_buttons: [],
      buttons: [],
    })
    expect((await get(`/v4/sites/${empty.guid}/link_performance`)).body).toMatchObject({ total: 0, link_clicks: [] })
    const theirs = await get('/v4/aggregate/sites/overview?unit=day&units=-1', stranger.token)
    expect(theirs.body).toMatchObject({ views: 0, clicks: 0 })
  })

  it('are refused to others, of unknown sites, and for invalid arguments', async () => {
    for (const path of ['views', 'views/summary', 'countries', 'cities', 'devices', 'referrers', 'link_performance']) {
      expect((await get(`/v4/sites/${shop.guid}/${path}`, stranger.token)).status, path).toBe(403)
      expect((await get(`/v4/sites/M0000000000/${path}`)).status, path).toBe(404)
      for (const [query, field] of badWindows) {
        const { status, body } = await get(`/v4/sites/${shop.guid}/${path}?${query}`)
        expect([status, body], `${path}?${query}`).toMatchObject([400, refusedArgument(field, 'sites')])
      }
    }
    const many = Array.from({ length: 101 }, (_, number) => `site=M${number}`).join('&')
    expect((await sites('overview', many)).status).toBe(400)
  })

  it.each([
    ...['overview', 'views/over_time', 'views/countries', 'views/cities', 'views/devices', 'views/referrers'],
    ...['clicks/over_time', 'clicks/countries', 'clicks/cities', 'clicks/devices', 'clicks/top'],
    'digital_business_card_downloads/over_time',
  ])('GET /v4/aggregate/sites/%s answers 403 to others, and 400 for invalid arguments', async (report) => {
    const path = `/v4/aggregate/sites/${report}`
    expect((await get(`${path}?unit=day&units=1&site=${shop.guid}`, stranger.token)).status).toBe(403)
    for (const query of ['unit=day', 'units=1', 'unit=day&units=0', 'unit=year&units=1', 'unit=day&units=1&site=M0']) {
      expect((await get(`${path}?${query}`)).status, query).toBe(400)
    }
  })

  it('need the plan feature of cities and devices', async () => {
    const organizationGuid = await firstOrganization(started)
    const give = (plan: string) => operate(started.app, operator, 'setPlan', { organizationGuid, plan, force: true })
    const paths = ['views', 'countries', 'cities', 'devices'].flatMap((path) => [
      `/v4/sites/${shop.guid}/${path}?unit=day&units=1`,
      `/v4/aggregate/sites/views/${path === 'views' ? 'over_time' : path}?unit=day&units=1`,
    ])
    await give('bare')
    const statuses = await Promise.all(paths.map(async (path) => (await get(path)).status))
    await give('unlimited')
    expect(statuses).toEqual([200, 200, 200, 200, 402, 402, 402, 402])
  })
})
