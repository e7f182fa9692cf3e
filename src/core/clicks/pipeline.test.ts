import { describe, expect, it } from 'vitest'
import type { RawClick } from './click.js'
import type { TrafficClass } from './dimensions.js'
import { type Geography, type Location, locationOf, unknownLocation } from './locate.js'
import { createPipeline } from './pipeline.js'
import { aRawClick } from './raw-click.builder.js'
import { dayLength } from './visitor.js'

const berlin: Location = { country: 'DE', region: 'Berlin', subregion: '', city: 'Berlin' }
const everywhereBerlin: Geography = { location: () => berlin }
const salts = { of: (day: number) => `salt of ${day}` }

describe('the pipeline', () => {
  it('turns a raw click into a click', () => {
    const pipeline = createPipeline({ geography: everywhereBerlin, salts, trustProxy: 1 })
    const raw = aRawClick({ visitor: '10.0.0.1, 203.0.113.7', referrer: 'https://l.instagram.com/', kind: 'scan' })
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
      place: berlin,
      agent: expect.objectContaining({ device: 'Desktop', os: 'Linux', browser: 'Firefox' }),
      referrer: {
        referrer: 'https://l.instagram.com/',
        referrerDomain: 'l.instagram.com',
        referrerName: 'Instagram',
        referrerNetwork: 'instagram',
        site: '',
      },
      visitorHash: expect.any(BigInt),
      userAgent: raw.userAgent,
      language: raw.language,
    })
  })

  it('knows the site of a button, beside its referrer', () => {
    const pipeline = createPipeline({ geography: everywhereBerlin, salts, trustProxy: 0 })
    const referrer = 'https://go.example.com/m/name'
    const clicks = [
      aRawClick({ kind: 'button', site: 'M3xYz12AbCd', referrer }),
      aRawClick({ kind: 'button', site: 'M4aBc34DeFg', referrer }),
      aRawClick({ kind: 'view', referrer }),
    ]
    const found = pipeline.enrich('journal', [{ row: 1, clicks }])
    expect(found.map(({ kind, referrer: { site, referrerDomain } }) => [kind, site, referrerDomain])).toEqual([
      ['button', 'M3xYz12AbCd', 'go.example.com'],
      ['button', 'M4aBc34DeFg', 'go.example.com'],
      ['view', '', 'go.example.com'],
    ])
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
      location(address) {
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

describe('the traffic class of a click', () => {
  const chrome =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36'
  const cases: readonly (readonly [TrafficClass, Parameters<typeof aRawClick>[0]])[] = [
    ['human', { userAgent: chrome }],
    ['head', { method: 'HEAD', userAgent: chrome }],
    ['head', { method: 'HEAD', userAgent: 'Twitterbot/1.0', purpose: 'prefetch' }],
    ['prefetch', { purpose: 'prefetch;prerender', userAgent: chrome }],
    ['prefetch', { purpose: 'Prefetch', userAgent: 'Twitterbot/1.0' }],
    ['prefetch', { purpose: 'preview', userAgent: chrome }],
    ['human', { purpose: 'something-else', userAgent: chrome }],
  ]
  it.each(cases)('is %s for %o', (trafficClass, input) => {
    const pipeline = createPipeline({ geography: everywhereBerlin, salts, trustProxy: 0 })
    const [click] = pipeline.enrich('journal', [{ row: 1, clicks: [aRawClick(input)] }])
    expect(click?.trafficClass).toBe(trafficClass)
  })
})

describe('the hash of a visitor', () => {
  const pipeline = createPipeline({ geography: everywhereBerlin, salts, trustProxy: 0 })
  const hashOf = (input: Parameters<typeof aRawClick>[0]) =>
    pipeline.enrich('journal', [{ row: 1, clicks: [aRawClick(input)] }])[0]?.visitorHash ?? -1n
  const noon = 20_000 * dayLength + dayLength / 2

  it('gives one visitor one number for a whole UTC day', () => {
    expect(hashOf({ at: noon })).toBe(hashOf({ at: noon + dayLength / 2 - 1 }))
  })

  it('gives other numbers to another day, address or agent', () => {
    const numbers = [
      hashOf({ at: noon }),
      hashOf({ at: noon + dayLength / 2 }),
      hashOf({ at: noon, visitor: '203.0.113.8' }),
      hashOf({ at: noon, userAgent: 'curl/8.5.0' }),
    ]
    expect(new Set(numbers).size).toBe(4)
  })

  it('gives the number again when a visitor comes back to an agent or a day', () => {
    const first = hashOf({ at: noon })
    const curl = hashOf({ at: noon, userAgent: 'curl/8.5.0' })
    const tomorrow = hashOf({ at: noon + dayLength })
    expect([hashOf({ at: noon }), hashOf({ at: noon, userAgent: 'curl/8.5.0' })]).toEqual([first, curl])
    expect(hashOf({ at: noon + dayLength })).toBe(tomorrow)
    expect(new Set([first, curl, tomorrow]).size).toBe(3)
  })

  it('fits into 64 bits without a sign', () => {
    for (let index = 0; index < 100; index++) {
      const number = hashOf({ at: noon, visitor: `203.0.113.${index}` })
      expect(number >= 0n && number < 2n ** 64n).toBe(true)
    }
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
    expect(locationOf(everywhereBerlin, address)).toBe(unknownLocation)
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
    expect(locationOf(everywhereBerlin, address)).toBe(berlin)
  })
})
