import { describe, expect, it } from 'vitest'
import type { Association, MobileApp } from '../mobile-apps/mobile-app-store.js'
import type { Deeplink } from './deeplink.js'
import { openApp } from './open-app.js'

const web = 'https://example.com/shoes?a=1&b=2'
const store = 'https://store.example/app'

describe('on iOS', () => {
  it.each([
    ['no_install', { how: 'try', appUri: 'shop://shoes/1', otherwise: web }],
    ['auto_install', { how: 'try', appUri: 'shop://shoes/1', otherwise: store }],
    ['promote_install', { how: 'choose', appUri: 'shop://shoes/1', to: 'shop://shoes/1', storeUrl: store }],
  ] as const)('%s', (installType, opening) => {
    expect(open('ios', { installType })).toEqual(opening)
  })
})

describe('on Android', () => {
  const encoded = encodeURIComponent

  it.each([
    ['no_install', web],
    ['auto_install', store],
  ] as const)('%s lets the browser decide and go on', (installType, fallback) => {
    expect(open('android', { installType })).toEqual({
      how: 'redirect',
      appUri: 'shop://shoes/1',
      to: `intent://shoes/1#Intent;scheme=shop;package=com.shop;S.browser_fallback_url=${encoded(fallback)};end`,
    })
  })

  it('promote_install asks, with a way into the application that ends in the store', () => {
    const opening = open('android', { installType: 'promote_install' })
    expect(opening).toMatchObject({ how: 'choose', storeUrl: store })
    expect(opening).toHaveProperty('to', expect.stringContaining(`S.browser_fallback_url=${encoded(store)};`))
  })

  it.each(['no_install', 'auto_install', 'promote_install'] as const)(
    'asks inside other applications, whose browsers may not know what to do: %s',
    (installType) => {
      const agent = 'Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 Version/4.0 Chrome/126.0 Mobile'
      expect(open('android', { installType }, {}, agent)?.how).toBe('choose')
    },
  )

  it('names no package when the application has none', () => {
    const association: Association = { os: 'android', packageName: '', fingerprints: [] }
    expect(open('android', {}, { association })).toHaveProperty('to', expect.not.stringContaining('package='))
  })
})

describe('openApp', () => {
  it("prefers the deep link's own install URL", () => {
    expect(open('ios', { installType: 'auto_install', installUrl: 'https://own.example/' })).toMatchObject({
      otherwise: 'https://own.example/',
    })
  })

  it.each([
    ['market://details?id=com.shop', 'https://play.google.com/store/apps/details?id=com.shop'],
    ['itms-apps://apps.apple.com/app/id1', 'https://apps.apple.com/app/id1'],
    ['itms-appss://apps.apple.com/app/id1', 'https://apps.apple.com/app/id1'],
  ])("writes a store's own address %s as %s", (installUrl, otherwise) => {
    expect(open('ios', { installType: 'auto_install', installUrl })).toMatchObject({ otherwise })
  })

  it.each(['', 'javascript:alert(1)', 'https://a b/', 'https://'])(
    'passes over an install URL that is no web address: %s',
    (installUrl) => {
      expect(open('ios', { installType: 'auto_install', installUrl })).toMatchObject({ otherwise: store })
      const nowhere = open('ios', { installType: 'auto_install', installUrl }, { storeUrl: '' })
      expect(nowhere).toMatchObject({ otherwise: web })
    },
  )

  it.each([
    ['', 'shop://'],
    ['/shoes', 'shop:///shoes'],
    ['shop://shoes/1', 'shop://shoes/1'],
    ['SHOP://shoes/1', 'shop://shoes/1'],
    ['shoes?size=4#top', 'shop://shoes?size=4#top'],
    ['größe 4', 'shop://gr%C3%B6%C3%9Fe%204'],
    ['a\r\nSet-Cookie: b', 'shop://a%0D%0ASet-Cookie:%20b'],
    ['\ud800', 'shop://%EF%BF%BD'],
  ])('writes the path %j as %s', (appUriPath, appUri) => {
    expect(open('ios', { appUriPath })?.appUri).toBe(appUri)
  })

  it('does nothing with an application for the other system', () => {
    expect(open('ios', {}, { association: { os: 'android', packageName: '', fingerprints: [] } })).toBeUndefined()
  })
})

function open(os: 'ios' | 'android', link: Partial<Deeplink>, change: Partial<MobileApp> = {}, agent = 'Safari') {
  const association: Association =
    os === 'ios'
      ? { os, appId: 'ABCDE12345.com.shop', paths: ['*'] }
      : { os, packageName: 'com.shop', fingerprints: [] }
  const app: MobileApp = {
    guid: 'A1',
    organizationGuid: 'O1',
    isAllowed: false,
    name: 'Shop',
    storeUrl: store,
    uriScheme: 'shop',
    association,
    createdAt: 1,
    modifiedAt: 1,
    ...change,
  }
  const deeplink: Deeplink = {
    guid: 'R1',
    linkId: 'sho.rt/a',
    appGuid: 'A1',
    os,
    appUriPath: 'shoes/1',
    installUrl: '',
    installType: 'no_install',
    brandGuid: '',
    createdAt: 1,
    modifiedAt: 1,
    ...link,
  }
  return openApp(deeplink, app, web, agent)
}
