import { beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { operate } from '../../src/core/administration/operations.js'
import { startApp, useApp } from '../support/start-app.js'
import { aStranger } from './alter-records.js'

const fingerprint = Array(32).fill('AB').join(':')
const android = '/.well-known/assetlinks.json'
const apple = '/.well-known/apple-app-site-association'

describe('association files', () => {
  const started = useApp({ baseUrl: 'http://api.test', domains: ['sho.rt', 's.test'], anyHost: false })
  beforeAll(async () => {
    const { app, groupGuid } = started
    const other = await aStranger(started)
    for (const [group, name] of [
      [groupGuid, 'mine'],
      [other.groupGuid, 'yours'],
    ] as const) {
      const organizationGuid = (await app.domainStore.organizationOf(group)) ?? ''
      const common = { organizationGuid, storeUrl: '', uriScheme: name, at: name === 'mine' ? 1 : 2, limit: 9 }
      await app.mobileApps.add({
        ...common,
        guid: `A${name}1`,
        name,
        association: { os: 'android', packageName: `com.${name}`, fingerprints: [fingerprint] },
      })
      await app.mobileApps.add({
        ...common,
        guid: `A${name}2`,
        name,
        association: { os: 'ios', appId: `ABCDE12345.com.${name}`, paths: ['NOT /about', '*'] },
      })
      await app.mobileApps.add({
        ...common,
        guid: `A${name}3`,
        name: 'not associated',
        association: { os: 'android', packageName: `com.${name}.other`, fingerprints: [] },
      })
      await app.domainStore.add({
        name: `${name}.example`,
        organizationGuid,
        groupGuids: [],
        rootUrl: undefined,
        notFoundUrl: 'https://elsewhere.example/',
        createdBy: 'test',
        at: 1,
      })
    }
    await app.domains.refresh()
  })

  const read = (host: string, path: string, method = 'GET') =>
    started.request(method, path, { token: null, headers: { host } })

  const packages = async (host: string) =>
    (await read(host, android)).body.map((each: { target: { package_name: string } }) => each.target.package_name)
  const appIds = async (host: string) =>
    (await read(host, apple)).body.applinks.details.map((each: { appID: string }) => each.appID)

  it('serves assetlinks.json as JSON, without a redirect, for Android', async () => {
    const { status, headers, body } = await read('mine.example', android)
    expect([status, headers['content-type'], headers.location]).toEqual([200, 'application/json', undefined])
    expect(body).toEqual([
      {
        relation: ['delegate_permission/common.handle_all_urls'],
        target: { namespace: 'android_app', package_name: 'com.mine', sha256_cert_fingerprints: [fingerprint] },
      },
    ])
  })

  it('serves apple-app-site-association as JSON, without a redirect, in the old and the new form', async () => {
    const { status, headers, body } = await read('mine.example', apple)
    expect([status, headers['content-type'], headers.location]).toEqual([200, 'application/json', undefined])
    expect(body).toEqual({
      applinks: {
        apps: [],
        details: [
          {
            appID: 'ABCDE12345.com.mine',
            appIDs: ['ABCDE12345.com.mine'],
            paths: ['NOT /about', '*'],
            components: [{ '/': '/about', exclude: true }, { '/': '*' }],
          },
        ],
      },
    })
  })

  it('lists the apps of the organization that owns a branded domain, and no others', async () => {
    expect(await packages('yours.example')).toEqual(['com.yours'])
    expect(await appIds('YOURS.example:443')).toEqual(['ABCDE12345.com.yours'])
  })

  it.each(['sho.rt', 's.test', 'api.test'])(
    'lists on the shared domain %s only apps that the operator allowed',
    async (host) => {
      expect([await packages(host), await appIds(host)]).toEqual([[], []])
      await operate(started.app, operator, 'allowMobileApp', { guid: 'Ayours1', allow: true })
      expect([await packages(host), await appIds(host)]).toEqual([['com.yours'], []])
      await operate(started.app, operator, 'allowMobileApp', { guid: 'Ayours1', allow: false })
      expect(await packages(host)).toEqual([])
    },
  )

  it('no longer lists an app there after its identity changed', async () => {
    const organization = await started.app.domainStore.organizationOf(started.groupGuid)
    const path = `/v4/organizations/${organization}/mobile_apps/Amine2`
    const change = (body: object) => started.request('PATCH', path, { headers: { host: 'api.test' }, body })
    await operate(started.app, operator, 'allowMobileApp', { guid: 'Amine2', allow: true })
    expect((await change({ name: 'Renamed' })).body.on_built_in_domains).toBe(true)
    expect(await appIds('sho.rt')).toEqual(['ABCDE12345.com.mine'])
    expect((await change({ app_id: 'ABCDE12345.com.else' })).body.on_built_in_domains).toBe(false)
    expect(await appIds('sho.rt')).toEqual([])
    expect(await appIds('mine.example')).toEqual(['ABCDE12345.com.else'])
    await change({ app_id: 'ABCDE12345.com.mine' })
  })

  it('lists a new app at once, and no longer lists a deleted one', async () => {
    const organization = await started.app.domainStore.organizationOf(started.groupGuid)
    const path = `/v4/organizations/${organization}/mobile_apps`
    const headers = { host: 'api.test' }
    const sent = { name: 'New', os: 'ios', uri_scheme: 'new', app_id: 'ABCDE12345.com.new' }
    const { body } = await started.request('POST', path, { headers, body: sent })
    expect(await appIds('mine.example')).toContain('ABCDE12345.com.new')
    await started.request('PATCH', `${path}/${body.guid}`, { headers, body: { app_id: 'ABCDE12345.com.newer' } })
    expect(await appIds('mine.example')).toContain('ABCDE12345.com.newer')
    await started.request('DELETE', `${path}/${body.guid}`, { headers })
    expect(await appIds('mine.example')).toEqual(['ABCDE12345.com.mine'])
  })

  it('answers HEAD without a body, other methods with 405, and ignores a query', async () => {
    const head = await read('sho.rt', android, 'HEAD')
    expect([head.status, head.text]).toEqual([200, ''])
    expect((await read('sho.rt', android, 'POST')).status).toBe(405)
    expect((await read('sho.rt', `${android}?v=1`)).status).toBe(200)
  })

  it('does not affect other hosts and paths', async () => {
    expect((await read('unknown.example', android)).status).toBe(404)
    expect((await read('sho.rt', '/.well-known/security.txt')).status).toBe(404)
    expect((await read('api.test', '/.well-known/security.txt')).status).toBe(404)
  })
})

it('serves empty files if there are no apps', async () => {
  const started = await startApp()
  try {
    expect((await started.request('GET', android, { token: null })).body).toEqual([])
    expect((await started.request('GET', apple, { token: null })).body).toEqual({ applinks: { apps: [], details: [] } })
  } finally {
    await started.close()
  }
})
