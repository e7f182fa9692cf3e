import { describe, expect, it } from 'vitest'
import type { RawClick } from './click.js'
import { type Geography, type Place, placeOf, unknownPlace } from './locate.js'
import { createPipeline } from './pipeline.js'
import { aRawClick } from './raw-click.builder.js'

const berlin: Place = { country: 'DE', region: 'Berlin', subregion: '', city: 'Berlin' }
const everywhereBerlin: Geography = { place: () => berlin }
const salts = { of: (day: number) => `salt of ${day}` }

describe('the pipeline', () => {
  it('turns a raw click into a click', () => {
    const pipeline = createPipeline({ geography: everywhereBerlin, salts, trustProxy: 1 })
    const raw = aRawClick({ visitor: '10.0.0.1, 203.0.113.7', referrer: 'https://l.instagram.com/', scan: true })
    const [click] = pipeline.enrich('journal', [{ row: 7, clicks: [raw] }])
    expect(click).toEqual({
      eventId: 'journal-7-0',
      at: raw.at,
      address: raw.address,
      linkId: raw.linkId,
      groupGuid: raw.groupGuid,
      destination: raw.destination,
      kind: 'scan',
      trafficClass: 'human',
      ...berlin,
      device: 'Desktop',
      os: 'Linux',
      browser: 'Firefox',
      referrer: 'https://l.instagram.com/',
      referrerDomain: 'l.instagram.com',
      referrerName: 'Instagram',
      referrerNetwork: 'instagram',
      visitorHash: expect.any(BigInt),
      userAgent: raw.userAgent,
      language: raw.language,
    })
  })

  it('gives each click of the journal an id of its own, the same every time', () => {
    const pipeline = createPipeline({ geography: everywhereBerlin, salts, trustProxy: 0 })
    const rows = [
      { row: 1, clicks: [aRawClick(), aRawClick()] },
      { row: 2, clicks: [aRawClick()] },
    ]
    const ids = pipeline.enrich('journal', rows).map((click) => click.eventId)
    expect(new Set(ids).size).toBe(3)
    expect(pipeline.enrich('journal', rows).map((click) => click.eventId)).toEqual(ids)
  })

  it('drops and counts what is malformed, and keeps the rest of the row', () => {
    const pipeline = createPipeline({ geography: everywhereBerlin, salts, trustProxy: 0 })
    const broken = [
      { at: Number.NaN },
      { at: 1e300 },
      { at: 1.5 },
      { address: '' },
      { userAgent: undefined },
      { visitor: 7 },
    ]
    const clicks = broken.map((input) => ({ ...aRawClick(), ...input }) as RawClick)
    expect(pipeline.enrich('journal', [{ row: 1, clicks: [...clicks, aRawClick()] }])).toHaveLength(1)
    expect(pipeline.dropped.get('malformed')).toBe(broken.length)
  })

  it('asks the geography once for a visitor who comes again', () => {
    const asked: string[] = []
    const geography: Geography = {
      place(address) {
        asked.push(address)
        return berlin
      },
    }
    const pipeline = createPipeline({ geography, salts, trustProxy: 0 })
    const clicks = ['203.0.113.7', '203.0.113.8', '203.0.113.7'].map((visitor) => aRawClick({ visitor }))
    pipeline.enrich('journal', [{ row: 1, clicks }])
    expect(asked).toEqual(['203.0.113.7', '203.0.113.8'])
  })
})

describe('placeOf', () => {
  it.each([
    ...[
      '',
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '127.0.0.1',
      '169.254.1.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
    ],
    ...['224.0.0.1', '255.255.255.255', '::', '::1', 'fc00::1', 'fd12:3456::1', 'fe80::1', 'febf::1', 'ff02::1'],
  ])('knows no place for the private address "%s"', (address) => {
    expect(placeOf(everywhereBerlin, address)).toBe(unknownPlace)
  })

  it.each([
    '1.1.1.1',
    '100.63.0.1',
    '100.128.0.1',
    '172.15.0.1',
    '172.32.0.1',
    '192.167.1.1',
    '169.253.1.1',
    '2001:db8::1',
    '::2',
  ])('asks for the public address %s', (address) => {
    expect(placeOf(everywhereBerlin, address)).toBe(berlin)
  })
})
