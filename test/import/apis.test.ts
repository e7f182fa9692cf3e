import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Closing } from '../../src/lib/closing.js'
import { domain, type Installation, present, startInstallation } from './importing.js'
import { bitly, dub, type OtherProduct, type OtherService, shlink, startOtherService } from './other-services.js'

let at: Installation
let token: string
let closing: Closing
beforeAll(async () => {
  at = await startInstallation()
  token = at.file('token.txt', 'secret-key\n')
  closing = new Closing()
}, 120_000)
afterEach(async () => {
  await closing.close()
  closing = new Closing()
})
afterAll(() => at.close())

async function start(product: OtherProduct): Promise<OtherService> {
  return closing.add(await startOtherService(product))
}

describe('import links from an API', { timeout: 120_000 }, () => {
  it('of Shlink: short URLs and every visit, and later only the later ones', async () => {
    const visits = ['2022-01-01T10:00:00+01:00', '2022-01-01T10:00:00+01:00', '2022-01-02T10:00:00+01:00']
    const urls = [
      { shortCode: 'ab12C', longUrl: 'https://example.com/a', tags: ['Games', 'tech news'], title: 'A', visits },
      { shortCode: 'guide/api', longUrl: 'https://example.com/b', visits: ['2022-02-01T10:00:00+01:00'] },
      { shortCode: 'past', longUrl: 'https://example.com/c', validUntil: '2022-03-01T00:00:00+00:00', visits: [] },
      { shortCode: 'last', longUrl: 'https://example.com/d', visits: [] },
      { shortCode: 'side', longUrl: 'https://example.com/e', domain: 'side.example', visits: visits.slice(0, 2) },
      { shortCode: 'app', longUrl: 'https://example.com/reserved', visits },
    ]
    const service = await start(shlink(urls, 's.example'))
    const from = ['--from', 'shlink', '--map', `s.example=${domain}`, '--map', `*=${domain}`, '--json', '--token-file']
    const flags = [...from, token]
    expect(await at.run(service.url, ...from, at.file('wrong.txt', 'wrong'))).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        'answered: 401 Provided API key does not exist or is invalid. Check the key or token',
      ),
    })
    // With the path of the API, as its documentation writes it.
    const first = await at.run(`${service.url}/rest/v3/`, ...flags)
    expect(first).toMatchObject({ code: 0, err: expect.stringContaining('Reading: Shlink, REST API of 127.0.0.1') })
    expect(JSON.parse(first.out)).toMatchObject({ links: { new: 5, invalid: 1 }, clicks: { imported: 6, unknown: 3 } })
    const there = {
      ab12C: { longUrl: 'https://example.com/a', clicks: 3 },
      'guide/api': { longUrl: 'https://example.com/b', clicks: 1 },
      last: { longUrl: 'https://example.com/d', clicks: 0 },
      side: { longUrl: 'https://example.com/e', clicks: 2 },
    }
    expect(await present(at, Object.keys(there))).toEqual(there)
    expect((await at.visit('past')).status).toBe(410)
    expect(await at.api(`/v4/shortlinks/${domain}/ab12C`)).toMatchObject({
      title: 'A',
      tags: ['Games', 'tech-news'],
      created_at: '2021-08-21T18:34:16+0000',
    })
    const cities = await at.api(`/v4/shortlinks/${domain}/ab12C/cities?unit=month&units=-1`)
    expect(JSON.stringify(cities)).toContain('Cupertino')

    visits.push('2022-01-02T10:00:00+01:00', '2022-05-01T10:00:00+01:00')
    const again = await at.run(service.url, ...flags)
    expect(JSON.parse(again.out)).toMatchObject({ links: { same: 5 }, clicks: { imported: 2, before: 6 } })
    expect(await at.clicks('ab12C')).toBe(5)
  })

  it('of Dub: links and every click', async () => {
    const clicks = Array.from({ length: 1_200 }, (_, index) => new Date(1_710_000_000_000 + index * 1000).toISOString())
    const many = Array.from({ length: 130 }, (_, index) => ({
      key: `d${index}`,
      url: `https://example.com/${index}`,
      clicks: [],
    }))
    const links = [
      { key: 'dubbed', url: 'https://example.com/dubbed', tags: ['one', 'two'], clicks },
      { key: 'secret', url: 'https://example.com/secret', clicks: [] },
      { key: 'filed', url: 'https://example.com/filed', archived: true, clicks: [] },
      { key: 'off', url: 'https://example.com/off', disabledAt: '2024-02-01T00:00:00.000Z', clicks: [] },
      ...many,
      // Imported by Dub: later ids than those of newer links, and older than Dub.
      ...Array.from({ length: 110 }, (_, index) => ({
        key: `old${index}`,
        url: `https://example.com/old/${index}`,
        createdAt: '2019-05-05T00:00:00.000Z',
        clicks: index === 0 ? ['2023-05-05T00:00:00.000Z'] : [],
      })),
      { key: 'in-a', url: 'https://example.com/in-a', folder: 'fold_a', clicks: ['2024-05-05T00:00:00.000Z'] },
      { key: 'in-b', url: 'https://example.com/in-b', folder: 'fold_b', archived: true, clicks: [] },
    ]
    const service = await start(dub(links))
    const flags = ['--from', 'dub', '--token-file', token, '--map', `dub.example=${domain}`, '--json']
    const first = await at.run(service.url, ...flags)
    expect(JSON.parse(first.out)).toMatchObject({ links: { new: 244, invalid: 2 }, clicks: { imported: 1_202 } })
    expect(await at.clicks('dubbed')).toBe(1_200)
    expect(await at.api(`/v4/shortlinks/${domain}/dubbed`)).toMatchObject({
      title: 'Title of dubbed',
      tags: ['one', 'two'],
    })
    expect(await at.api(`/v4/shortlinks/${domain}/filed`)).toMatchObject({ archived: true })
    for (const { key, url } of links.filter(({ key }) => !['secret', 'off'].includes(key)))
      expect(await at.visit(key)).toEqual({ status: 301, location: url })
    for (const key of ['secret', 'off']) expect((await at.visit(key)).status).toBe(404)
    const again = await at.run(service.url, ...flags)
    expect(JSON.parse(again.out)).toMatchObject({ links: { same: 244 }, clicks: { imported: 0, before: 1_202 } })
  })

  it('of Dub: clicks per day where the plan has no events', async () => {
    const clicks = ['2024-01-05T01:00:00.000Z', '2024-01-05T02:00:00.000Z', '2024-11-05T02:00:00.000Z']
    const plan = { events: false, analytics: true }
    const service = await start(dub([{ key: 'daily', url: 'https://example.com/daily', clicks }], plan))
    const flags = ['--from', 'dub', '--token-file', token, '--map', `dub.example=${domain}`, '--json']
    const first = await at.run(service.url, ...flags)
    expect(JSON.parse(first.out)).toMatchObject({ clicks: { imported: 3 } })
    expect(first.err).toContain(
      'Importing clicks per day instead of single clicks: Dub answered 403 Unauthorized: Need higher plan.',
    )
    // The day is not over yet: the next run adds what is missing.
    clicks.push('2024-11-05T09:00:00.000Z')
    expect(JSON.parse((await at.run(service.url, ...flags)).out)).toMatchObject({ clicks: { imported: 1, before: 3 } })
    expect(await at.clicks('daily')).toBe(4)
  })

  it('of Dub: totals where the plan has neither', async () => {
    const clicks = ['2024-01-05T01:00:00.000Z', '2024-01-05T02:00:00.000Z']
    const plan = { events: false, analytics: false }
    const service = await start(dub([{ key: 'total', url: 'https://example.com/total', clicks }], plan))
    const flags = ['--from', 'dub', '--token-file', token, '--map', `dub.example=${domain}`]
    const { out, err } = await at.run(service.url, ...flags)
    expect(out).toContain('Imported 2 clicks (totals).')
    expect(err).toContain('Importing totals instead of clicks per day: Dub answered 403 You can only get analytics')
    expect(await at.clicks('total')).toBe(2)
  })

  it('of Bitly: links, custom back-halves and clicks per day, and the next run goes on after a failure', async () => {
    const links = [
      {
        id: 'bit.ly/3AbCdEf',
        longUrl: 'https://example.com/bit',
        custom: ['bit.ly/bit-two', 'bit.ly/bit-one'],
        tags: ['promo'],
        days: {
          'bit.ly/3AbCdEf': { '2022-07-02': 5, '2022-07-03': 0, '2022-07-04': 2 },
          'bit.ly/bit-one': { '2022-07-02': 11 },
        },
      },
      { id: 'bit.ly/3plain', longUrl: 'https://example.com/plain', archived: true, days: {} },
      { id: 'bit.ly/3third', longUrl: 'https://example.com/third', days: { 'bit.ly/3third': { '2023-01-01': 1 } } },
    ]
    const service = await start(bitly(links))
    const from = ['--from', 'bitly', '--map', `bit.ly=${domain}`, '--json', '--token-file']
    const flags = [...from, token]
    const wrong = await at.run(service.url, ...from, at.file('wrong.txt', 'wrong'))
    expect(wrong).toMatchObject({
      code: 1,
      err: expect.stringContaining('/v4/groups answered: 403 FORBIDDEN. Check the key'),
    })
    service.refuseOnce('3third')
    expect(await at.run(service.url, ...flags)).toMatchObject({
      code: 1,
      err: expect.stringContaining('400 BAD_REQUEST'),
    })

    const first = await at.run(service.url, ...flags)
    expect(JSON.parse(first.out)).toMatchObject({ links: { same: 3 }, clicks: { imported: 19, before: 0 } })
    expect(first.err).toContain(
      'Some clicks are not imported: for custom_bitlinks/bit.ly/bit-two, Bitly answered 402 UPGRADE_REQUIRED',
    )
    const there = {
      '3AbCdEf': { longUrl: 'https://example.com/bit', clicks: 7 },
      'bit-one': { longUrl: 'https://example.com/bit', clicks: 11 },
      'bit-two': { longUrl: 'https://example.com/bit', clicks: 0 },
      '3plain': { longUrl: 'https://example.com/plain', clicks: 0 },
      '3third': { longUrl: 'https://example.com/third', clicks: 1 },
    }
    expect(await present(at, Object.keys(there))).toEqual(there)
    expect(await at.api(`/v4/shortlinks/${domain}/3AbCdEf`)).toMatchObject({
      title: 'Title of bit.ly/3AbCdEf',
      tags: ['promo'],
      created_at: '2022-07-01T12:00:00+0000',
      custom_shortlinks: expect.arrayContaining([`http://${domain}/bit-one`, `http://${domain}/bit-two`]),
    })
    expect(await at.api(`/v4/shortlinks/${domain}/3plain`)).toMatchObject({ archived: true })
    const again = await at.run(service.url, ...flags)
    expect(JSON.parse(again.out)).toMatchObject({ links: { same: 3 }, clicks: { imported: 0, before: 19 } })
    expect(await present(at, Object.keys(there))).toEqual(there)
  })
})
