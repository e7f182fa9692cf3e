import { describe, expect, it } from 'vitest'
import { chooseDestination, needsLocation, type Visitor } from './choose-destination.js'
import type { Deeplink } from './deeplink.js'
import { regionSpellings } from './region-codes.js'
import type { RoutingRule } from './routing-rule.js'

const standard = 'https://example.com/'
const routed = 'https://example.com/routed'

const phone = { device: 'Mobile', os: 'iOS' } as const
const android = { device: 'Mobile', os: 'Android' } as const
const computer = { device: 'Desktop', os: 'Windows' } as const
const california = { country: 'US', region: 'California' }

type Conditions = Omit<RoutingRule, 'longUrl'>

const fitting: readonly (readonly [string, Conditions, Partial<Visitor>])[] = [
  ['no condition at all', {}, {}],
  ['only empty conditions', { countryMatch: [], osExclude: [] }, {}],
  ['the country', { countryMatch: ['DE', 'US'] }, california],
  ['the country in another case', { countryMatch: ['us'] }, california],
  ['a country that is not excluded', { countryExclude: ['DE'] }, california],
  ['an unknown country, which no exclusion names', { countryExclude: ['DE'] }, { country: '' }],
  ['the region by its code', { regionMatch: ['US-CA'] }, california],
  ['the region by its name', { regionMatch: ['California'] }, california],
  ['the region by country and name', { regionMatch: ['IT-LAZIO'] }, { country: 'IT', region: 'Lazio' }],
  ['a region that geography gives as a code', { regionMatch: ['US-CA'] }, { country: 'US', region: 'CA' }],
  ['a region that is not excluded', { regionExclude: ['US-NY'] }, california],
  ['the device', { deviceMatch: ['tablet', 'desktop'] }, computer],
  ['a device that is not excluded', { deviceExclude: ['mobile'] }, computer],
  ['the os', { osMatch: ['ios'] }, phone],
  ['an os that is not excluded', { osExclude: ['android'] }, phone],
  ['every condition', { countryMatch: ['US'], deviceMatch: ['mobile'], osMatch: ['ios'] }, { ...california, ...phone }],
]

const unfitting: readonly (readonly [string, Conditions, Partial<Visitor>])[] = [
  ['another country', { countryMatch: ['DE'] }, california],
  ['an unknown country', { countryMatch: ['DE'] }, { country: '' }],
  ['an excluded country', { countryExclude: ['US'] }, california],
  ['another region', { regionMatch: ['US-NY'] }, california],
  ['the same code in another country', { regionMatch: ['US-NT'] }, { country: 'CA', region: 'Northwest Territories' }],
  ['an excluded region', { regionExclude: ['US-CA'] }, california],
  ['another device', { deviceMatch: ['mobile'] }, computer],
  ['a device of no known kind', { deviceMatch: ['mobile', 'tablet', 'desktop'] }, { device: 'Other', os: '' }],
  ['an excluded device', { deviceExclude: ['desktop'] }, computer],
  ['another os', { osMatch: ['android'] }, phone],
  ['an excluded os', { osExclude: ['ios', 'android'] }, android],
  ['one condition of two', { countryMatch: ['US'], osMatch: ['android'] }, { ...california, ...phone }],
]

describe('chooseDestination', () => {
  it.each(fitting)('routes by a rule that fits: %s', (_, conditions, visitor) => {
    expect(leads([{ ...conditions, longUrl: routed }], visitor)).toBe(routed)
  })

  it.each(unfitting)('leaves the standard destination where a rule does not fit: %s', (_, conditions, visitor) => {
    expect(leads([{ ...conditions, longUrl: routed }], visitor)).toBe(standard)
  })

  it('lets the first rule that fits win', () => {
    const rules = [
      { osMatch: ['android'], longUrl: 'https://example.com/1' },
      { countryMatch: ['US'], longUrl: 'https://example.com/2' },
      { longUrl: 'https://example.com/3' },
    ]
    expect(leads(rules, { ...california, ...android })).toBe('https://example.com/1')
    expect(leads(rules, { ...california, ...phone })).toBe('https://example.com/2')
    expect(leads(rules, phone)).toBe('https://example.com/3')
  })

  const both = [aDeeplink('android', 'A1'), aDeeplink('ios', 'A2'), aDeeplink('ios', 'A3')]
  it.each([
    ['a phone', phone, 'A2'],
    ['a tablet', { device: 'Tablet', os: 'iOS' } as const, 'A2'],
    ['the other system', android, 'A1'],
    ['a computer', computer, undefined],
    ['a system without deep links', { device: 'Mobile', os: 'KaiOS' } as const, undefined],
    ['a television on Android', { device: 'Other', os: 'Android' } as const, undefined],
    ['a crawler that says it is a phone', { ...android, person: false }, undefined],
  ])('gives the first deep link of the system to people with %s', (_, visitor, appGuid) => {
    const { deeplink } = chooseDestination(
      standard,
      { site: undefined, deeplinks: both, routing: [] },
      aVisitor(visitor),
    )
    expect(deeplink?.appGuid).toBe(appGuid)
  })

  it('routes behind a deep link too', () => {
    const rules = { site: undefined, deeplinks: both, routing: [{ osMatch: ['ios'], longUrl: routed }] }
    expect(chooseDestination(standard, rules, aVisitor(phone))).toMatchObject({
      longUrl: routed,
      deeplink: { appGuid: 'A2' },
    })
  })
})

describe('needsLocation', () => {
  it.each([
    [{ countryMatch: ['US'] }, true],
    [{ countryExclude: ['US'] }, true],
    [{ regionMatch: ['US-CA'] }, true],
    [{ regionExclude: ['US-CA'] }, true],
    [{ countryMatch: [] }, false],
    [{ osMatch: ['ios'], deviceExclude: ['tablet'] }, false],
  ] as const)('of %j is %s', (conditions, asked) => {
    expect(
      needsLocation({
        site: undefined,
        deeplinks: [],
        routing: [{ longUrl: standard }, { ...conditions, longUrl: routed }],
      }),
    ).toBe(asked)
  })
})

describe('regionSpellings', () => {
  it.each([
    ['US', 'California', 'US-CA'],
    ['US', 'District of Columbia', 'US-DC'],
    ['CA', 'Newfoundland and Labrador', 'CA-NL'],
    ['DE', 'State of Berlin', 'DE-BE'],
    ['GB', 'Scotland', 'GB-SCT'],
    ['AU', 'ACT', 'AU-ACT'],
    ['US', 'CA', 'US-CA'],
  ])('knows %s %s as %s', (country, region, code) => {
    expect(regionSpellings(country, region)).toContain(code)
  })

  it('says nothing about an unknown place', () => {
    expect(regionSpellings('', 'California')).toEqual([])
    expect(regionSpellings('US', '')).toEqual([])
  })
})

function leads(routing: readonly RoutingRule[], visitor: Partial<Visitor>): string {
  return chooseDestination(standard, { site: undefined, deeplinks: [], routing }, aVisitor(visitor)).longUrl
}

function aVisitor(change: Partial<Visitor>): Visitor {
  return { device: 'Desktop', os: 'Windows', country: '', region: '', person: true, ...change }
}

function aDeeplink(os: 'ios' | 'android', appGuid: string): Deeplink {
  return {
    guid: `R${appGuid}`,
    linkId: 'sho.rt/a',
    appGuid,
    os,
    appUriPath: 'page',
    installUrl: '',
    installType: 'no_install',
    brandGuid: '',
    createdAt: 1,
    modifiedAt: 1,
  }
}
