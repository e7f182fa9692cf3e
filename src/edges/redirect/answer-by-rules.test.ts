import { describe, expect, it } from 'vitest'
import type { Visit } from '../../core/clicks/journal.js'
import { type Location, unknownLocation } from '../../core/clicks/locate.js'
import type { Deeplink } from '../../core/links/deeplink.js'
import type { Target } from '../../core/links/link.js'
import type { MobileApp } from '../../core/mobile-apps/mobile-app-store.js'
import { answerByRules } from './answer-by-rules.js'

const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'
const routing = [{ longUrl: 'https://example.com/us', countryMatch: ['US'] }]

describe('the destination that the journal is told', () => {
  it('is the page that a rule chose', async () => {
    expect((await answer({ site: undefined, deeplinks: [], routing }, '192.88.0.1')).destination).toBe(
      'https://example.com/us',
    )
    expect((await answer({ site: undefined, deeplinks: [], routing }, '10.0.0.1')).destination).toBe(
      'https://example.com/',
    )
  })

  it('is the address inside the application, when the visitor is sent into one', async () => {
    expect(await answer({ site: undefined, deeplinks: [aDeeplink('A1')], routing: [] })).toMatchObject({
      destination: 'shop://shoes',
      page: { status: 200 },
    })
  })

  it('is the page, when the application is not registered', async () => {
    expect(await answer({ site: undefined, deeplinks: [aDeeplink('A2')], routing: [] })).toEqual({
      destination: 'https://example.com/',
      location: 'https://example.com/',
    })
  })
})

it('asks where a visitor is only for rules that want to know, and never about private addresses', async () => {
  const asked: string[] = []
  const location = (address: string) => {
    asked.push(address)
    return unknownLocation
  }
  await answer(
    { site: undefined, deeplinks: [], routing: [{ longUrl: 'https://a.example/', osMatch: ['ios'] }] },
    '192.88.0.1',
    location,
  )
  await answer({ site: undefined, deeplinks: [], routing }, '192.168.0.1', location)
  expect(asked).toEqual([])
  await answer({ site: undefined, deeplinks: [], routing }, '192.88.0.1', location)
  expect(asked).toEqual(['192.88.0.1'])
})

function answer(
  rules: NonNullable<Target['rules']>,
  visitor = '192.88.0.1',
  location = (_address: string): Location => ({ ...unknownLocation, country: 'US' }),
) {
  const byGuid = new Map([['A1', anApp]])
  const byRules = answerByRules({
    mobileAppTable: { known: async () => ({ byGuid, of: () => [] }) },
    geography: { location },
    config: { trustProxy: 0 },
  })
  const visit: Visit = {
    at: 1,
    method: 'GET',
    kind: 'click',
    site: '',
    visitor,
    userAgent: iphone,
    referrer: '',
    language: '',
    purpose: '',
  }
  const target: Target = {
    address: 'sho.rt/a',
    linkId: 'sho.rt/a',
    groupGuid: 'B1',
    longUrl: 'https://example.com/',
    createdAt: 1,
    expiresAt: undefined,
    deletedAt: undefined,
    rules,
  }
  return byRules(target, rules, visit)
}

const anApp: MobileApp = {
  guid: 'A1',
  organizationGuid: 'O1',
  isAllowed: false,
  name: 'Shop',
  storeUrl: '',
  uriScheme: 'shop',
  association: { os: 'ios', appId: '', paths: ['*'] },
  createdAt: 1,
  modifiedAt: 1,
}

function aDeeplink(appGuid: string): Deeplink {
  return {
    guid: 'R1',
    linkId: 'sho.rt/a',
    appGuid,
    os: 'ios',
    appUriPath: 'shoes',
    installUrl: '',
    installType: 'no_install',
    brandGuid: '',
    createdAt: 1,
    modifiedAt: 1,
  }
}
