import { describe, expect, it } from 'vitest'
import { Refusal } from '../values/refusal.js'
import { type AppInput, changedFields, fieldsOf } from './app-fields.js'

const android: AppInput = { name: 'Shop', os: 'android', uriScheme: 'shop' }
const ios: AppInput = { name: 'Shop', os: 'ios', uriScheme: 'shop' }
const print = '14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5'

describe('an application', () => {
  it('needs a name, a system and a scheme, and no more', () => {
    const common = { name: 'Shop', uriScheme: 'shop', storeUrl: '' }
    expect(fieldsOf(android)).toEqual({ ...common, association: { os: 'android', packageName: '', fingerprints: [] } })
    expect(fieldsOf(ios)).toEqual({ ...common, association: { os: 'ios', appId: '', paths: ['*'] } })
  })

  it.each(['shop', 'SHOP', 'shop:', 'shop://', 'Shop://'])('has the scheme shop when told %s', (uriScheme) => {
    expect(fieldsOf({ ...ios, uriScheme }).uriScheme).toBe('shop')
  })

  it.each([print, print.toLowerCase(), print.replaceAll(':', '')])('writes the fingerprint %s in one way', (text) => {
    const { association } = fieldsOf({ ...android, packageName: 'com.shop.App_2', sha256CertFingerprints: [text] })
    expect(association).toEqual({ os: 'android', packageName: 'com.shop.App_2', fingerprints: [print] })
  })

  it('keeps paths as they are', () => {
    const paths = ['*', '/', '/news/*', 'NOT /about?x=1']
    const { association } = fieldsOf({ ...ios, appId: 'ABCDE12345.com.shop.app', paths })
    expect(association).toEqual({ os: 'ios', appId: 'ABCDE12345.com.shop.app', paths })
  })
})

const wrong: readonly (readonly [string, string, Partial<AppInput>])[] = [
  ['name', 'a blank name', { name: ' ' }],
  ['name', 'a long name', { name: 'x'.repeat(256) }],
  ['name', 'a line break in the name', { name: 'a\nb' }],
  ['os', 'another system', { os: 'windows' }],
  ['uriScheme', 'no scheme', { uriScheme: '' }],
  ['uriScheme', 'a scheme with a space', { uriScheme: 'my app' }],
  ['uriScheme', 'a scheme with a path', { uriScheme: 'shop://x' }],
  ['uriScheme', 'a long scheme', { uriScheme: 'x'.repeat(65) }],
  ...['http', 'https', 'javascript', 'JavaScript:', 'data', 'intent', 'file', 'blob', 'mailto', 'tel'].map(
    (uriScheme) => ['uriScheme', `a browser's scheme ${uriScheme}`, { uriScheme }] as const,
  ),
  ['storeUrl', 'a script as store', { storeUrl: 'javascript:alert(1)' }],
  ['storeUrl', 'a store without a host', { storeUrl: 'https://' }],
  ['storeUrl', 'a store with a line break', { storeUrl: 'https://a.example/\r\nX: y' }],
  ['storeUrl', 'a long store URL', { storeUrl: `https://a.example/${'x'.repeat(2048)}` }],
  ['packageName', 'one word as package', { packageName: 'shop' }],
  ['packageName', 'a package that ends the intent', { packageName: 'com.shop;end' }],
  ['sha256CertFingerprints', 'a short fingerprint', { sha256CertFingerprints: ['AA:BB'] }],
  ['sha256CertFingerprints', 'too many fingerprints', { sha256CertFingerprints: Array(51).fill(print) }],
  ['appId', 'an app id on Android', { appId: 'ABCDE12345.com.shop' }],
  ['paths', 'paths on Android', { paths: ['*'] }],
  ['appId', 'an app id without a team', { os: 'ios', appId: 'com.shop' }],
  ['paths', 'a path without a slash', { os: 'ios', paths: ['news'] }],
  ['paths', 'a path with a space', { os: 'ios', paths: ['/a b'] }],
  ['paths', 'too many paths', { os: 'ios', paths: Array(51).fill('/') }],
  ['packageName', 'a package on iOS', { os: 'ios', packageName: 'com.shop' }],
  ['sha256CertFingerprints', 'fingerprints on iOS', { os: 'ios', sha256CertFingerprints: [] }],
]

it.each(wrong)('names %s when it refuses %s', (field, _, change) => {
  const refusal = refusalOf(() => fieldsOf({ ...android, ...change }))
  expect(refusal.details).toEqual({ field, resource: 'mobile_apps' })
})

describe('a change', () => {
  const { association } = fieldsOf({ ...android, packageName: 'com.shop', sha256CertFingerprints: [print] })

  it('touches what it names', () => {
    expect(changedFields(association, {})).toEqual({})
    expect(changedFields(association, { storeUrl: '' })).toEqual({ storeUrl: '' })
    expect(changedFields(association, { packageName: 'com.other' })).toEqual({
      association: { ...association, packageName: 'com.other' },
    })
  })

  it('is held to the system of the application', () => {
    expect(refusalOf(() => changedFields(association, { paths: ['*'] })).details.field).toBe('paths')
  })
})

function refusalOf(work: () => unknown): Refusal {
  try {
    work()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error('it was not refused')
}
