import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { beforeAll, describe, expect, it } from 'vitest'
import { createApiKey, revokeApiKey } from '../../../src/core/sign-in/api-keys.js'
import { useApp } from '../../support/start-app.js'
import { processToken, startProcess } from '../../support/start-process.js'
import { aMember, aStranger } from '../alter-records.js'
import { asking, written } from './ask.js'

const expanding = { hash: 'nowhere' }

describe('v3 authentication', () => {
  const started = useApp()
  let v3: ReturnType<typeof asking>
  beforeAll(async () => {
    v3 = asking(started)
  })

  async function anApiKey() {
    const actor = await started.app.tokens.authenticate(started.token)
    return { actor, ...(await createApiKey(started.app, actor, { label: 'old client' })) }
  }

  const operations = [
    ...['expand', 'info', 'shorten', 'link/lookup', 'link/info', 'link/clicks', 'link/countries', 'link/referrers'],
    ...['link/referrers_by_domain', 'link/referring_domains', 'link/encoders', 'link/encoders_count', 'campaigns'],
    ...['campaigns/channel_names', 'campaigns/create', 'campaigns/get', 'campaigns/update', 'nsq/stats', 'oauth/app'],
    ...['clicks', 'clicks_by_day', 'clicks_by_minute', 'countries', 'referrers', 'lookup', 'validate'],
    ...['shortlink_pro_domain', 'bitly_pro_domain', 'link/shares', 'link/encoders_by_count', 'search'],
  ]
  const userOperations = [
    'link_edit',
    'link_lookup',
    'link_save',
    'link_history',
    'info',
    'clicks',
    ...['popular_links', 'popular_owned_by_clicks', 'popular_owned_by_shortens'],
    ...['countries', 'referrers', 'referring_domains', 'shorten_counts', 'share_counts', 'share_counts_by_share_type'],
    ...['tracking_domain_list', 'tracking_domain_clicks', 'tracking_domain_shorten_counts', 'network_history'],
    'save_custom_domain_keyword',
  ]

  it.each([...operations, ...userOperations.map((name) => `user/${name}`)])(
    'MISSING_ARG_ACCESS_TOKEN: GET /v3/%s without a token',
    async (path) => {
      expect(await v3.refusal(path, {}, null)).toBe('200 500 MISSING_ARG_ACCESS_TOKEN')
      expect(await v3.refusal(path, {}, '')).toBe('200 500 MISSING_ARG_ACCESS_TOKEN')
    },
  )

  it.each(operations)('INVALID_ARG_ACCESS_TOKEN: GET /v3/%s with an unknown token', async (path) => {
    expect(await v3.refusal(path, {}, 'b'.repeat(40))).toBe('200 500 INVALID_ARG_ACCESS_TOKEN')
  })

  it.each(userOperations)('INVALID_ACCESS_TOKEN: GET /v3/user/%s with an unknown token', async (path) => {
    expect(await v3.refusal(`user/${path}`, {}, 'b'.repeat(40))).toBe('200 403 INVALID_ACCESS_TOKEN')
  })

  it('does not accept a token in a header', async () => {
    const answer = await started.request('GET', '/v3/user/info')
    expect(answer.body.status_txt).toBe('MISSING_ARG_ACCESS_TOKEN')
  })

  it('the endpoints marked oauth2 or api key also accept an API key', async () => {
    const { apiKey } = await anApiKey()
    const credentials = { login: 'admin', apiKey }
    expect(await v3.get('expand', { ...expanding, ...credentials }, null)).toMatchObject({ status_txt: 'OK' })
    const longUrl = 'https://example.com/by-key'
    const { data } = await v3.get('shorten', { longUrl, ...credentials }, null)
    expect(data).toMatchObject({ new_hash: 1, long_url: longUrl })
    const { body } = await started.request('GET', `/v4/shortlinks/${data.url.slice('http://'.length)}`)
    expect(body).toMatchObject({ created_by: 'admin', long_url: longUrl })
  })

  it('the endpoints marked oauth2 need a token', async () => {
    const { apiKey } = await anApiKey()
    for (const path of ['info', 'user/info', 'link/clicks', 'campaigns']) {
      expect(await v3.refusal(path, { login: 'admin', apiKey }, null)).toBe('200 500 MISSING_ARG_ACCESS_TOKEN')
    }
  })

  it('MISSING_ARG_APIKEY: a login alone', async () => {
    expect(await v3.refusal('expand', { ...expanding, login: 'admin' }, null)).toBe('200 500 MISSING_ARG_APIKEY')
  })

  it('MISSING_ARG_LOGIN: a key alone', async () => {
    expect(await v3.refusal('shorten', { apiKey: 'R_1' }, null)).toBe('200 500 MISSING_ARG_LOGIN')
  })

  it('INVALID_LOGIN: a login that cannot exist', async () => {
    const query = { ...expanding, login: 'no such login', apiKey: 'R_1' }
    expect(await v3.refusal('expand', query, null)).toBe('200 500 INVALID_LOGIN')
  })

  it("INVALID_APIKEY: a key that is unknown, revoked or another user's; does not reveal which logins exist", async () => {
    const { actor, guid, apiKey } = await anApiKey()
    const words = async (login: string, key: string) => v3.refusal('expand', { ...expanding, login, apiKey: key }, null)
    expect(await words('admin', 'R_1')).toBe('200 500 INVALID_APIKEY')
    expect(await words('nobody', 'R_1')).toBe('200 500 INVALID_APIKEY')
    expect(await words('nobody', apiKey)).toBe('200 500 INVALID_APIKEY')
    await revokeApiKey(started.app, actor, guid)
    expect(await words('admin', apiKey)).toBe('200 500 INVALID_APIKEY')
  })

  it('FORBIDDEN: a reader can read but not write', async () => {
    const reader = await aMember(started, started.groupGuid, 'reader')
    const longUrl = 'https://example.com/for-readers'
    const { url: link } = await v3.data('shorten', { longUrl })
    const writes: readonly (readonly [string, Record<string, string>])[] = [
      ['shorten', { longUrl: 'https://example.com/never' }],
      ['user/link_save', { longUrl: 'https://example.com/never' }],
      ['user/link_edit', { link, edit: 'title', title: 'Never' }],
      ['campaigns/create', { title: 'Never' }],
    ]
    for (const [path, query] of writes) expect(await v3.refusal(path, query, reader)).toBe('200 403 FORBIDDEN')
    expect(await v3.data('link/clicks', { link }, reader)).toMatchObject({ link_clicks: 0 })
    expect(await v3.data('user/link_lookup', { url: longUrl }, reader)).toMatchObject({ link_lookup: [{ link }] })
    const { link_lookup: never } = await v3.data('link/lookup', { url: 'https://example.com/never' })
    expect(never[0].error).toBe('NOT_FOUND')
  })

  it("FORBIDDEN: a stranger neither edits nor counts another account's link", async () => {
    const stranger = await aStranger(started)
    const { url: link } = await v3.data('shorten', { longUrl: 'https://example.com/mine' })
    expect(await v3.refusal('link/clicks', { link }, stranger.token)).toBe('200 403 FORBIDDEN')
    const edit = { link, edit: 'title', title: 'Theirs' }
    expect(await v3.refusal('user/link_edit', edit, stranger.token)).toBe('200 403 FORBIDDEN')
    expect((await v3.data('info', { shortUrl: link })).info[0].title).toBeNull()
  })

  it('an internal error is UNKNOWN_ERROR, is logged without the token, and does not reveal its cause', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-v3-'))
    const service = await startProcess(dataDir, ['--log-format', 'json', '--log-level', 'trace'])
    try {
      const records = new Database(join(dataDir, 'records.sqlite'))
      records.exec('drop table global_links')
      records.close()
      const query = written({ longUrl: 'https://example.com/fault' }, processToken)
      const answer = await fetch(`${service.url}/v3/shorten?${query}`)
      expect(answer.status).toBe(200)
      expect(await answer.json()).toEqual({ data: null, status_code: 503, status_txt: 'UNKNOWN_ERROR' })
      await expect.poll(service.output).toContain('request failed')
      expect(service.output()).toContain('"route":"/v3/shorten"')
      expect(service.output()).not.toContain(processToken)
    } finally {
      await service.stop('SIGTERM')
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})
