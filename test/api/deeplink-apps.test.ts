import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { aMember } from './alter-records.js'
import { firstOrganization } from './organize.js'

/** Clients name the app of a deep link by its package name or bundle id, registered or not. */
describe('the app_id of a deep link', () => {
  const started = useApp()
  let apps: string
  beforeAll(async () => {
    apps = `/v4/organizations/${await firstOrganization(started)}/mobile_apps`
  })

  let made = 0
  const create = (deeplink: object, token?: string) =>
    started.request('POST', '/v4/shortlinks', {
      body: { long_url: `https://example.com/app/${made++}`, deeplinks: [deeplink] },
      ...(token && { token }),
    })
  const register = async (body: object): Promise<string> =>
    (await started.request('POST', apps, { body: { name: 'Shop', uri_scheme: 'shop', ...body } })).body.guid
  const entries = async (): Promise<Record<string, unknown>[]> => (await started.request('GET', apps)).body.mobile_apps
  const named = async (name: string) => (await entries()).filter((app) => app.name === name)

  it('may be the package name or the bundle id of a registered app', async () => {
    const android = await register({ os: 'android', package_name: 'com.registered.shop' })
    const ios = await register({ os: 'ios', app_id: 'ABCDE12345.com.registered.shop' })
    const sent: [object, string, string][] = [
      [{ app_id: 'com.registered.shop', os: 'android' }, android, 'android'],
      [{ app_id: 'com.registered.shop', os: 'ios' }, ios, 'ios'],
      [{ app_id: 'ABCDE12345.com.registered.shop' }, ios, 'ios'],
      [{ app_id: 'com.registered.shop', install_url: 'https://apps.apple.com/app/id1' }, ios, 'ios'],
      [{ app_guid: 'com.registered.shop' }, android, 'android'],
      [{ app_id: ios }, ios, 'ios'],
    ]
    for (const [deeplink, app_guid, os] of sent) {
      const { status, body } = await create({ ...deeplink, app_uri_path: 'x' })
      expect([status, body.deeplinks], JSON.stringify(deeplink)).toMatchObject([201, [{ app_guid, os }]])
    }
    expect(await entries()).toHaveLength(2)
  })

  it.each([
    ['com.unknown.one', {}, 'android'],
    ['com.unknown.two', { os: 'ios' }, 'ios'],
    ['com.unknown.three', { install_url: 'itms-apps://apps.apple.com/app/id1' }, 'ios'],
    ['com.unknown.four-app', {}, 'ios'],
    ['ABCDE12345.com.unknown.five', {}, 'ios'],
  ])('may be the unregistered %s: an app is registered once', async (app_id, more, os) => {
    const { status, body } = await create({ app_id, app_uri_path: 'shoes/1', ...more })
    expect([status, body.deeplinks[0].os]).toEqual([201, os])
    const again = await create({ app_id, app_uri_path: 'shoes/2', ...more })
    expect(again.body.deeplinks[0].app_guid).toBe(body.deeplinks[0].app_guid)
    expect(await named(app_id)).toMatchObject([{ guid: body.deeplinks[0].app_guid, os, uri_scheme: '' }])
  })

  it('registers one app for concurrent callers, also members', async () => {
    const member = await aMember(started, started.groupGuid)
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ app_id: 'com.raced.app' }, member)))
    expect(new Set(answers.map(({ body }) => body.deeplinks[0].app_guid)).size).toBe(1)
    expect(await named('com.raced.app')).toHaveLength(1)
  })

  it('can be changed by PATCH', async () => {
    const { body: link } = await create({ os: 'ios', app_uri_path: 'x' })
    const deeplinks = [{ app_id: 'com.patched.app', app_uri_path: 'patched://shoes/1' }]
    const { status, body } = await started.request('PATCH', `/v4/shortlinks/${link.id}`, { body: { deeplinks } })
    expect(status).toBe(200)
    // The path contains the URI scheme of the app.
    expect(await named('com.patched.app')).toMatchObject([
      { guid: body.deeplinks[0].app_guid, os: 'android', uri_scheme: 'patched' },
    ])
  })

  it('leads to the web page until the app has a URI scheme', async () => {
    const { body } = await create({ app_id: 'com.waiting.app', app_uri_path: 'shoes/1' })
    const visit = async () => {
      const agent = 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/126.0.0.0 Mobile Safari/537.36'
      const path = `/${body.id.split('/')[1]}`
      return (await started.request('GET', path, { token: null, headers: { 'user-agent': agent } })).headers.location
    }
    expect(await visit()).toBe(body.long_url)
    const guid = body.deeplinks[0].app_guid
    await started.request('PATCH', `${apps}/${guid}`, { body: { uri_scheme: 'waiting' } })
    expect(await visit()).toMatch(/^intent:\/\/shoes\/1#Intent;scheme=waiting;package=com\.waiting\.app;/)
  })

  it('never lists an app without a certificate in an association file', async () => {
    await create({ app_id: 'com.unsigned.app', os: 'android' })
    await create({ app_id: 'ABCDE12345.com.unsigned.app', os: 'ios' })
    for (const [entry] of [await named('com.unsigned.app'), await named('ABCDE12345.com.unsigned.app')]) {
      await started.app.mobileApps.allow(String(entry?.guid), true, 1)
    }
    started.app.mobileAppTable.forget()
    for (const file of ['assetlinks.json', 'apple-app-site-association']) {
      const { text } = await started.request('GET', `/.well-known/${file}`, { token: null })
      expect(text).not.toContain('unsigned')
    }
  })

  it.each(['com', 'a b.c', '.com.app', 'com..app', `com.${'x'.repeat(255)}`, 'com.app/x'])(
    'answers 400 for %j',
    async (app_id) => {
      const { status, body } = await create({ app_id })
      expect([status, body.message]).toEqual([400, 'INVALID_ARG_DEEPLINKS'])
    },
  )

  it('registers no app if the link is rejected for another reason', async () => {
    const deeplinks = [{ app_id: 'com.never.app' }]
    const { status } = await started.request('POST', '/v4/shortlinks', { body: { long_url: 'no URL', deeplinks } })
    expect(status).toBe(400)
    expect(await named('com.never.app')).toEqual([])
  })
})
