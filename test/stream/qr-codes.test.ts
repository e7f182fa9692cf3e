/** From the picture of a QR code to every place that counts its scan, through the whole service. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readQrCode } from '../support/read-qr-code.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { type Reading, read } from './reading.js'

describe('a QR code', () => {
  let started: StartedApp
  let organizationGuid: string
  const readings: Reading[] = []
  beforeAll(async () => {
    started = await startApp({ nsqdPort: 0 })
    organizationGuid = (await started.request('GET', '/v4/organizations')).body.organizations[0].guid
    await started.request('PUT', `/v4/organizations/${organizationGuid}/stream_access`)
  })
  afterAll(async () => {
    for (const reading of readings) reading.close()
    await started.close()
  })

  function follow(topic: string): Reading {
    const lookup = `http://localhost:${started.app.config.port}/v3/nsq/lookup?access_token=${started.token}`
    const place = { lookupdHTTPAddresses: [lookup] }
    const reading = read({ topic, token: started.token, dataDir: started.app.config.dataDir, place })
    readings.push(reading)
    return reading
  }
  const ask = async (path: string) => (await started.request('GET', path)).body
  async function aCode(destination: object) {
    const body = { group_guid: started.groupGuid, destination, render_customizations: { dot_pattern_type: 'circle' } }
    return (await started.request('POST', '/v4/qr-codes', { body })).body
  }
  /** Draws the code, reads the picture, and opens what it says, as a phone does. */
  async function scan(id: string): Promise<string | undefined> {
    const { qr_code_image: uri } = await ask(`/v4/qr-codes/${id}/image?format=png&size=256`)
    const content = await readQrCode(Buffer.from(uri.split(',')[1], 'base64'))
    const { pathname, search, host } = new URL(content ?? '')
    const headers = { host, 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Safari/604.1' }
    const visited = await started.request('GET', pathname + search, { token: null, headers })
    expect(visited.status).toBe(301)
    return visited.headers.location
  }

  it('is scanned, and the scan is counted for link, group, code and top reports, and is on the stream', async () => {
    const clicks = follow(`clicks.${organizationGuid}`)
    await clicks.until(({ connections }) => connections === 1)
    const link = (await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/menu' } })).body
    const coupled = await aCode({ shortlink_id: link.id })
    const alone = await aCode({ long_url: 'https://example.com/poster' })

    expect(await scan(coupled.qrcode_id)).toBe('https://example.com/menu')
    expect(await scan(alone.qrcode_id)).toBe('https://example.com/poster')
    expect(await scan(alone.qrcode_id)).toBe('https://example.com/poster')
    await started.clicksCounted()

    const group = `/v4/groups/${started.groupGuid}`
    expect(await ask(`/v4/shortlinks/${link.id}/engagements/summary`)).toMatchObject({
      total_engagements: 1,
      engagements: { clicks: 0, scans: 1 },
    })
    expect(await ask(`/v4/shortlinks/${link.id}/clicks/summary`)).toMatchObject({ total_clicks: 0 })
    expect(await ask(`/v4/qr-codes/${coupled.qrcode_id}/scans/summary`)).toMatchObject({ total_scans: 1 })
    expect(await ask(`/v4/qr-codes/${alone.qrcode_id}/scans/summary`)).toMatchObject({ total_scans: 2 })
    expect((await ask(`${group}/codes/scans/over_time?units=1`)).data[0].count).toBe(3)
    const ranking = [
      { id: alone.qrcode_id, engagements: 2 },
      { id: link.id, engagements: 1 },
    ]
    expect((await ask(`${group}/codes/scans/top?decoupled=true`)).sorted_engagements).toEqual(ranking)
    expect((await ask(`${group}/engagements/sorted/top`)).sorted_engagements).toEqual(ranking)

    await clicks.until((reading) => reading.clicks.length === 3)
    expect(clicks.clicks.map(({ kind, link, u }) => [kind, link, u])).toEqual([
      ['scan', link.id, 'https://example.com/menu'],
      ['scan', alone.shortlink_id, 'https://example.com/poster'],
      ['scan', alone.shortlink_id, 'https://example.com/poster'],
    ])
  })

  it('has a link that is on the stream of new links when the two are coupled, and not before', async () => {
    const links = follow(`links.${organizationGuid}`)
    await links.until(({ connections }) => connections === 1)
    const code = await aCode({ long_url: 'https://example.com/hidden' })
    const after = (await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/after' } }))
      .body
    await links.until((reading) => reading.clicks.some((message) => message.link === after.id))
    expect(links.clicks.map((message) => message.link)).not.toContain(code.shortlink_id)
    await started.request('PUT', `/v4/qr-codes/${code.qrcode_id}/to-shortlink`)
    await links.until((reading) => reading.clicks.some((message) => message.link === code.shortlink_id))
  })
})
