import { describe, expect, it } from 'vitest'
import { type Answer, useApp } from '../support/start-app.js'
import { alterRecords } from './alter-records.js'

const agents = {
  iphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  ipad: 'Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1.2 Mobile/15E148 Safari/604.1',
  pixel:
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
  windows:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
}

/** IPs in the bundled geography; the second is in California. */
const germany = '78.46.0.1'
const california = '17.0.0.1'
const quebec = '132.204.1.1'

const standard = 'https://example.com/'
const to = (name: string) => `https://example.com/${name}`

describe('a link with dynamic routing', () => {
  const started = useApp({ trustProxy: 1 })
  let made = 0

  async function aLink(dynamic_routing: readonly object[]): Promise<string> {
    const body = { long_url: `${standard}?${made++}`, dynamic_routing }
    const { status, body: link } = await started.request('POST', '/v4/shortlinks', { body })
    expect([status, link.message]).toEqual([201, undefined])
    return link.id
  }

  function visit(id: string, agent: string, address = germany, method = 'GET'): Promise<Answer> {
    const headers = { 'user-agent': agent, 'x-forwarded-for': address }
    return started.request(method, `/${id.split('/')[1]}`, { token: null, headers })
  }
  const location = async (...visitor: Parameters<typeof visit>) => (await visit(...visitor)).headers.location

  it('answers 302 with no-store, because it depends on the visitor', async () => {
    const id = await aLink([{ long_url: to('phones'), device_match: ['mobile'] }])
    for (const [agent, destination] of [
      [agents.iphone, to('phones')],
      [agents.windows, expect.stringContaining(standard)],
    ] as const) {
      const { status, headers, text } = await visit(id, agent)
      expect([status, headers.location, text]).toEqual([302, destination, ''])
      expect(headers['cache-control']).toBe('private, no-store')
      expect(headers['x-content-type-options']).toBe('nosniff')
    }
  })

  it('answers HEAD like GET', async () => {
    const id = await aLink([{ long_url: to('phones'), device_match: ['mobile'] }])
    const { status, headers, text } = await visit(id, agents.iphone, germany, 'HEAD')
    expect([status, headers.location, text]).toEqual([302, to('phones'), ''])
  })

  it('routes by device', async () => {
    const id = await aLink([
      { long_url: to('mobile'), device_match: ['mobile'] },
      { long_url: to('tablet'), device_match: ['tablet'] },
      { long_url: to('desktop'), device_match: ['desktop'] },
    ])
    expect(await location(id, agents.pixel)).toBe(to('mobile'))
    expect(await location(id, agents.ipad)).toBe(to('tablet'))
    expect(await location(id, agents.windows)).toBe(to('desktop'))
    expect(await location(id, 'curl/8.5.0')).toContain(standard)
  })

  it('routes by operating system', async () => {
    const id = await aLink([
      { long_url: to('ios'), os_match: ['ios'] },
      { long_url: to('android'), os_match: ['android'] },
    ])
    expect(await location(id, agents.iphone)).toBe(to('ios'))
    expect(await location(id, agents.pixel)).toBe(to('android'))
    expect(await location(id, agents.windows)).toContain(standard)
  })

  it('routes by country', async () => {
    const id = await aLink([
      { long_url: to('de'), country_match: ['DE', 'AT'] },
      { long_url: to('us'), country_match: ['US'] },
    ])
    expect(await location(id, agents.windows, germany)).toBe(to('de'))
    expect(await location(id, agents.windows, california)).toBe(to('us'))
    expect(await location(id, agents.windows, quebec)).toContain(standard)
    expect(await location(id, agents.windows, '10.0.0.1')).toContain(standard)
  })

  it('routes by region', async () => {
    const id = await aLink([
      { long_url: to('california'), region_match: ['US-CA'] },
      { long_url: to('quebec'), region_match: ['CA-QC'] },
    ])
    expect(await location(id, agents.windows, california)).toBe(to('california'))
    expect(await location(id, agents.windows, quebec)).toBe(to('quebec'))
    expect(await location(id, agents.windows, germany)).toContain(standard)
  })

  it('supports every exclusion', async () => {
    const id = await aLink([
      {
        long_url: to('others'),
        country_exclude: ['DE'],
        region_exclude: ['CA-QC'],
        device_exclude: ['tablet'],
        os_exclude: ['android'],
      },
    ])
    expect(await location(id, agents.windows, california)).toBe(to('others'))
    for (const [agent, address] of [
      [agents.windows, germany],
      [agents.windows, quebec],
      [agents.ipad, california],
      [agents.pixel, california],
    ] as const) {
      expect(await location(id, agent, address)).toContain(standard)
    }
  })

  it('uses the first matching rule', async () => {
    const id = await aLink([
      { long_url: to('first'), os_match: ['ios'], country_match: ['US'] },
      { long_url: to('second'), os_match: ['ios'] },
      { long_url: to('third'), device_match: ['mobile'] },
    ])
    expect(await location(id, agents.iphone, california)).toBe(to('first'))
    expect(await location(id, agents.iphone, germany)).toBe(to('second'))
    expect(await location(id, agents.pixel, california)).toBe(to('third'))
  })

  it('counts every visit once, for any destination', async () => {
    const id = await aLink([{ long_url: to('counted'), os_match: ['ios'] }])
    await visit(id, agents.iphone)
    await visit(id, agents.iphone)
    await visit(id, agents.windows)
    await visit(id, agents.windows, germany, 'HEAD')
    await started.clicksCounted()
    const { body } = await started.request('GET', `/v4/shortlinks/${id}/clicks/summary?unit=day&units=1`)
    expect(body.total_clicks).toBe(3)
  })

  it('applies changed and removed rules at once', async () => {
    const id = await aLink([{ long_url: to('before'), os_match: ['ios'] }])
    expect(await location(id, agents.iphone)).toBe(to('before'))
    const change = (dynamic_routing: readonly object[]) =>
      started.request('PATCH', `/v4/shortlinks/${id}`, { body: { dynamic_routing } })
    await change([{ long_url: to('after'), os_match: ['ios'] }])
    expect(await location(id, agents.iphone)).toBe(to('after'))
    await change([])
    expect((await visit(id, agents.iphone)).status).toBe(301)
  })

  it('does not route after it has expired, and shows its default destination on the information page', async () => {
    const id = await aLink([{ long_url: to('routed'), os_match: ['ios'] }])
    const page = await started.request('GET', `/${id.split('/')[1]}+`, { headers: { 'user-agent': agents.iphone } })
    expect(page.text).toContain(standard)
    await alterRecords(started, 'update links set expires_at = 1 where id = ?', id)
    started.app.redirectCache.forget(id)
    expect((await visit(id, agents.iphone)).status).toBe(410)
  })
})
