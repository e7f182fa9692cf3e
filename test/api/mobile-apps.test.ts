import { beforeAll, describe, expect, it } from 'vitest'
import { type RequestOptions, useApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'

const fingerprint = Array(32).fill('AB').join(':')
const anApp = { name: 'Shop', os: 'android', uri_scheme: 'shop' }

describe('/v4/organizations/{organization_guid}/mobile_apps', () => {
  const started = useApp()
  let organization: string
  let collection: string
  let member: string
  beforeAll(async () => {
    organization = (await started.app.domainStore.organizationOf(started.groupGuid)) ?? ''
    collection = `/v4/organizations/${organization}/mobile_apps`
    member = await aMember(started, started.groupGuid)
  })

  const request = (method: string, path: string, options?: RequestOptions) => started.request(method, path, options)
  const add = async (body: object = anApp) => (await request('POST', collection, { body })).body
  const all = async () => (await request('GET', collection)).body.mobile_apps

  describe('POST', () => {
    it('answers 201 with the app for Android', async () => {
      const sent = {
        ...anApp,
        store_url: 'https://store.example/shop',
        package_name: 'com.shop',
        sha256_cert_fingerprints: [fingerprint.toLowerCase()],
      }
      const { status, body } = await request('POST', collection, { body: sent })
      expect(status).toBe(201)
      expect(body).toEqual({
        ...sent,
        on_built_in_domains: false,
        references: { organization: `http://${started.domain}/v4/organizations/${organization}` },
        guid: expect.stringMatching(/^A[0-9A-Za-z]{10}$/),
        organization_guid: organization,
        sha256_cert_fingerprints: [fingerprint],
        created: expect.stringMatching(/\+0000$/),
        modified: body.created,
      })
    })

    it('answers 201 with the app for iOS', async () => {
      const sent = { name: 'Shop', os: 'ios', uri_scheme: 'shop', app_id: 'ABCDE12345.com.shop', paths: ['/news/*'] }
      const { status, body } = await request('POST', collection, { body: sent })
      expect(status).toBe(201)
      expect(body).toMatchObject({ ...sent, store_url: '' })
      expect(body).not.toHaveProperty('package_name')
    })

    it.each([
      ['NAME', { name: undefined }],
      ['NAME', { name: 5 }],
      ['NAME', { name: '' }],
      ['OS', { os: 'symbian' }],
      ['OS', { os: null }],
      ['URI_SCHEME', { uri_scheme: 'javascript' }],
      ['URI_SCHEME', { uri_scheme: undefined }],
      ['STORE_URL', { store_url: 'ftp://x' }],
      ['PACKAGE_NAME', { package_name: 'shop' }],
      ['SHA256_CERT_FINGERPRINTS', { sha256_cert_fingerprints: ['AB'] }],
      ['SHA256_CERT_FINGERPRINTS', { sha256_cert_fingerprints: 'AB' }],
      ['APP_ID', { app_id: 'ABCDE12345.com.shop' }],
      ['PATHS', { os: 'ios', paths: ['news'] }],
    ])('answers 400 INVALID_ARG_%s for %j and writes nothing', async (code, change) => {
      const before = await all()
      const { status, body } = await request('POST', collection, { body: { ...anApp, ...change } })
      expect([status, body.message, body.resource]).toEqual([400, `INVALID_ARG_${code}`, 'mobile_apps'])
      expect(body.errors).toEqual([{ field: code.toLowerCase(), error_code: 'invalid' }])
      expect(await all()).toEqual(before)
    })

    it('answers 403 to members and to strangers before it checks the fields', async () => {
      const stranger = await aStranger(started)
      for (const token of [member, stranger.token]) {
        const { status, body } = await request('POST', collection, { token, body: { name: 5 } })
        expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'organizations'])
      }
    })

    it('answers 406 for a body that is not sent as JSON', async () => {
      const headers = { 'content-type': 'text/xml' }
      expect((await request('POST', collection, { body: '<a/>', headers })).status).toBe(406)
    })

    it('answers 413 for a body of more than 1 MiB', async () => {
      const body = { ...anApp, name: 'x'.repeat(1024 * 1024) }
      const { status, body: answer } = await request('POST', collection, { body })
      expect([status, answer.resource]).toEqual([413, 'mobile_apps'])
    })

    it.each(['', '[]', '5', '"text"', '{'])('answers 422 for the body %j', async (body) => {
      const { status, body: answer } = await request('POST', collection, { body })
      expect([status, answer.message, answer.resource]).toEqual([422, 'UNPROCESSABLE_ENTITY', 'mobile_apps'])
    })
  })

  describe('GET', () => {
    it('answers 200 with all of them, oldest first, to every member', async () => {
      const { guid } = await add()
      const { status, body } = await request('GET', collection, { token: member })
      expect(status).toBe(200)
      expect(body.mobile_apps.at(-1).guid).toBe(guid)
      expect(body).toEqual((await request('GET', collection)).body)
    })

    it('answers 200 with one of them', async () => {
      const app = await add()
      const { status, body } = await request('GET', `${collection}/${app.guid}`, { token: member })
      expect([status, body]).toEqual([200, app])
    })

    it('answers 403 for an organization that is not yours or does not exist', async () => {
      const { token } = await aStranger(started)
      const { guid } = await add()
      for (const path of [collection, `${collection}/${guid}`]) {
        expect((await request('GET', path, { token })).status).toBe(403)
      }
      expect((await request('GET', '/v4/organizations/Onowhere001/mobile_apps')).status).toBe(403)
    })

    it.each(['Anowhere001', 'x', '%00', "'"])('answers 404 for the guid %s', async (guid) => {
      const { status, body } = await request('GET', `${collection}/${guid}`)
      expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', 'mobile_apps'])
    })
  })

  describe('PATCH', () => {
    it('answers 200 and changes only the fields that were sent; os and null are ignored', async () => {
      const app = await add({ ...anApp, package_name: 'com.shop', store_url: 'https://store.example/' })
      const body = { ...app, name: 'New', os: 'ios', guid: 'Aother00001', package_name: null, store_url: '' }
      const { status, body: changed } = await request('PATCH', `${collection}/${app.guid}`, { body })
      expect(status).toBe(200)
      expect(changed).toEqual({ ...app, name: 'New', store_url: '', modified: expect.any(String) })
      expect((await request('GET', `${collection}/${app.guid}`)).body).toEqual(changed)
    })

    it('answers 400 and changes nothing', async () => {
      const app = await add()
      const body = { name: 'New', paths: ['/'] }
      const { status, body: answer } = await request('PATCH', `${collection}/${app.guid}`, { body })
      expect([status, answer.message, answer.resource]).toEqual([400, 'INVALID_ARG_PATHS', 'mobile_apps'])
      expect((await request('GET', `${collection}/${app.guid}`)).body).toEqual(app)
    })

    it('answers 403 to members, 404 for an unknown one, 406, 413 and 422 as POST does', async () => {
      const { guid } = await add()
      const patch = async (options: RequestOptions, path = guid) =>
        (await request('PATCH', `${collection}/${path}`, options)).status
      expect(await patch({ token: member, body: { name: 'x' } })).toBe(403)
      expect(await patch({ body: { name: 'x' } }, 'Anowhere001')).toBe(404)
      expect(await patch({ body: 'x', headers: { 'content-type': 'text/plain' } })).toBe(406)
      expect(await patch({ body: { name: 'x'.repeat(1024 * 1024) } })).toBe(413)
      expect(await patch({ body: '[]' })).toBe(422)
    })
  })

  describe('DELETE', () => {
    it('answers 204, and 404 from then on', async () => {
      const { guid } = await add()
      const removed = await request('DELETE', `${collection}/${guid}`)
      expect([removed.status, removed.text]).toEqual([204, ''])
      expect((await request('DELETE', `${collection}/${guid}`)).status).toBe(404)
      expect((await request('GET', `${collection}/${guid}`)).status).toBe(404)
    })

    it('answers 403 to members and deletes nothing', async () => {
      const { guid } = await add()
      expect((await request('DELETE', `${collection}/${guid}`, { token: member })).status).toBe(403)
      expect((await request('GET', `${collection}/${guid}`)).status).toBe(200)
    })
  })

  it('answers 403 without a token, and 405 for another method', async () => {
    expect((await request('GET', collection, { token: null })).status).toBe(403)
    expect((await request('PUT', collection, { body: {} })).status).toBe(405)
  })
})
