import { Client } from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { tokenFrom } from '../../src/core/accounts/secrets.js'
import { createToken, type TokenInput } from '../../src/core/accounts/tokens.js'
import { lockRecords } from '../support/lock-records.js'
import { writtenOut } from '../support/openapi.js'
import { useApp } from '../support/start-app.js'
import { aMember, inRecords } from './alter-records.js'
import { firstOrganization, organize } from './organize.js'

let now = Date.parse('2026-03-18T12:00:00Z')
const started = useApp({}, { clock: { now: () => now } })
let link: string
let branded: string
let operations: readonly Operation[]
beforeAll(async () => {
  const organization = await firstOrganization(started)
  branded = await organize(started).domain('go.example.com', organization, [started.groupGuid])
  link = (await post('/v4/shortlinks', { long_url: 'https://example.com/branded', domain: branded })).body.id
  const group_guid = started.groupGuid
  operations = [
    ['/v4/shorten', (n) => ({ long_url: `https://example.com/${n}`, force_new_link: true })],
    ['/v4/shortlinks', (n) => ({ long_url: `https://example.com/${n}`, title: 'A title', tags: ['a'] })],
    ['/v4/bulk/shorten', (n) => ({ links: [{ long_url: `https://example.com/${n}`, force_new_link: true }] })],
    ['/v4/custom_shortlinks', (n) => ({ shortlink_id: link, custom_shortlink: `${branded}/word${n}` })],
    [`/v4/shortlinks/${link}/qr`, (n) => ({ color: (0x100000 + n).toString(16) })],
    ['/v4/qr-codes', (n) => ({ group_guid, destination: { long_url: `https://example.com/${n}` } })],
    ['/v4/campaigns', (n) => ({ group_guid, name: `Campaign ${n}` })],
    ['/v4/channels', (n) => ({ group_guid, name: `Channel ${n}` })],
    [`/v4/groups/${group_guid}/utm_templates`, (n) => ({ name: `Template ${n}`, utm_source: 'x' })],
    [`/v4/groups/${group_guid}/views`, (n) => ({ name: `View ${n}`, page: 'links' })],
    [`/v4/groups/${group_guid}/annotations`, (n) => ({ happened_at: '2026-11-17T09:00:00Z', text: `Note ${n}` })],
    [`/v4/organizations/${organization}/groups`, (n) => ({ name: `Group ${n}` })],
    [`/v4/organizations/${organization}/mobile_apps`, (n) => ({ name: `App ${n}`, os: 'ios', uri_scheme: 'shop' })],
    ['/v4/sites', (n) => ({ group_guid, domain: branded, keyword: `page${n}` })],
    [
      '/v4/webhooks',
      (n) => ({ organization_guid: organization, name: `Hook ${n}`, event: 'engagement', url: 'https://example.com/' }),
    ],
  ]
})

type Operation = readonly [path: string, body: (n: number) => object]

const names = [
  'shorten',
  'create link',
  'create many links',
  'custom link',
  'QR code of a link',
  'QR code',
  'campaign',
  'channel',
  'UTM template',
  'view',
  'annotation',
  'group',
  'mobile app',
  'site',
  'webhook',
]

let keys = 0
const newKey = () => `key-${keys++}`
const newNumber = () => keys++
const post = (path: string, body: object, key?: string, token?: string) =>
  started.request('POST', path, {
    body,
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    ...(token !== undefined && { token }),
  })
const shorten = (key: string, more: object = {}, token?: string) =>
  post('/v4/shorten', { long_url: 'https://example.com/again', force_new_link: true, ...more }, key, token)

/** Nobody else can write to the records meanwhile. */
async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
  const { databaseUrl, dataDir } = started.app.config
  if (databaseUrl === undefined) {
    const database = await lockRecords(dataDir)
    return work().finally(() => database.close())
  }
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('begin; lock table idempotency_keys in exclusive mode')
  return work().finally(() => client.end())
}

describe.each(names.map((name, index) => [name, index]))('an Idempotency-Key: %s', (_name, index) => {
  const operation = () => operations[index] as Operation

  it('gets the first answer again for the same request, and marks it', async () => {
    const [path, body] = operation()
    const [key, sent] = [newKey(), body(newNumber())]
    const first = await post(path, sent, key)
    expect([200, 201]).toContain(first.status)
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    const again = await post(path, sent, key)
    expect([again.status, again.text, again.headers['content-type']]).toEqual([
      first.status,
      first.text,
      first.headers['content-type'],
    ])
    expect(again.headers['idempotent-replayed']).toBe('true')
  })

  it('gets 422 for another request, which makes nothing', async () => {
    const [path, body] = operation()
    const key = newKey()
    await post(path, body(newNumber()), key)
    const other = await post(path, body(newNumber()), key)
    expect([other.status, other.body.message]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
  })

  it('gets 409 while the first request is under way, which is then answered', async () => {
    const [path, body] = operation()
    const [key, sent] = [newKey(), body(newNumber())]
    const both = await whileLocked(async () => {
      const asked = [post(path, sent, key), post(path, sent, key)]
      const refused = await Promise.race(asked)
      expect([refused.status, refused.body.message]).toEqual([409, 'IDEMPOTENCY_KEY_IN_USE'])
      expect(refused.headers['retry-after']).toBe('1')
      return asked
    })
    const statuses = (await Promise.all(both)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200 || status === 201)).toHaveLength(1)
    expect((await post(path, sent, key)).headers['idempotent-replayed']).toBe('true')
  })
})

describe('an Idempotency-Key', () => {
  it('makes one link of many requests at once', async () => {
    const before = await links()
    const key = newKey()
    const answers = await Promise.all(Array.from({ length: 20 }, () => shorten(key)))
    const made = answers.filter(({ status }) => status === 201)
    expect(made.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1)
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true)
    expect((await links()) - before).toBe(1)
  })

  it('gets 422 for another operation or another query', async () => {
    const key = newKey()
    const body = { long_url: 'https://example.com/other' }
    await post('/v4/shorten', body, key)
    expect((await post('/v4/shortlinks', body, key)).status).toBe(422)
    expect((await post('/v4/shorten?x=1', body, key)).status).toBe(422)
  })

  it('does not depend on the order of the fields', async () => {
    const key = newKey()
    const first = await post('/v4/shortlinks', { long_url: 'https://example.com/o', title: 'T', tags: ['a', 'b'] }, key)
    const same = await post('/v4/shortlinks', { tags: ['a', 'b'], title: 'T', long_url: 'https://example.com/o' }, key)
    expect(same.text).toBe(first.text)
    const other = await post('/v4/shortlinks', { tags: ['b', 'a'], title: 'T', long_url: 'https://example.com/o' }, key)
    expect(other.status).toBe(422)
  })

  it.each([
    ['arrays', '[', ']', 500_000],
    ['objects', '{"a":', '}', 170_000],
  ])('works with a body of deeply nested %s', async (_, open, close, levels) => {
    const key = newKey()
    const ask = (inside: number) =>
      started.request('POST', '/v4/shorten', {
        body: `{"long_url":"https://example.com/deep","x":${open.repeat(levels)}${inside}${close.repeat(levels)}}`,
        headers: { 'idempotency-key': key },
      })
    const first = await ask(1)
    expect([200, 201]).toContain(first.status)
    const again = await ask(1)
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true'])
    expect((await ask(2)).body.message).toBe('IDEMPOTENCY_KEY_REUSED')
  })

  it.each([
    ['empty', ''],
    ['a space', 'a b'],
    ['256 characters', 'x'.repeat(256)],
    ['a character that is not ASCII', '\u00fc'],
  ])('gets 400 when it is not 1 to 255 visible characters: %s', async (_, key) => {
    const { status, body } = await shorten(key)
    expect([status, body.message, body.resource]).toEqual([400, 'INVALID_ARG_IDEMPOTENCY_KEY', 'shortlinks'])
    expect(body.errors).toEqual([{ field: 'idempotency_key', error_code: 'invalid' }])
  })

  it('may have 255 characters', async () => {
    const key = `${'~'.repeat(200)}${newKey()}`.padEnd(255, '!')
    expect((await shorten(key)).status).toBe(201)
    expect((await shorten(key)).headers['idempotent-replayed']).toBe('true')
  })

  it('stays free when the request is refused, for the corrected request too', async () => {
    const key = newKey()
    expect((await shorten(key, { long_url: 'no URL' })).status).toBe(400)
    expect((await shorten(key, { domain: 'not-ours.example' })).status).toBe(400)
    expect((await shorten(key)).status).toBe(201)
  })

  it('works for 24 hours', async () => {
    const key = newKey()
    const { body } = await shorten(key)
    now += 24 * 3_600_000
    expect((await shorten(key)).body.id).toBe(body.id)
    now += 1
    const later = await shorten(key)
    expect([later.status, later.headers['idempotent-replayed']]).toEqual([201, undefined])
    expect(later.body.id).not.toBe(body.id)
  })

  it('is deleted afterwards', async () => {
    const count = async () => (await inRecords(started, 'select id from idempotency_keys')).length
    await shorten(newKey())
    expect(await count()).toBeGreaterThan(0)
    now += 24 * 3_600_000 + 1
    await started.app.idempotency.cleanUp.now()
    expect(await count()).toBe(0)
  })

  it("belongs to its user: another user's request with it is a new one", async () => {
    const member = await aMember(started, started.groupGuid)
    const key = newKey()
    const [own, foreign] = [await shorten(key), await shorten(key, {}, member)]
    expect([own.status, foreign.status]).toEqual([201, 201])
    expect(foreign.headers['idempotent-replayed']).toBeUndefined()
    expect(foreign.body.id).not.toBe(own.body.id)
  })

  it('is the same with another token of the user, and another with a token of an application', async () => {
    const addToken = async (secret: string, clientId: string | undefined) => {
      await started.app.accounts.addToken({ ...tokenFrom(secret), login: 'admin', label: '', clientId, at: 1 })
      return secret
    }
    const key = newKey()
    const first = await shorten(key)
    const renewed = await shorten(key, {}, await addToken('b'.repeat(40), undefined))
    const application = await shorten(key, {}, await addToken('c'.repeat(40), 'app'))
    expect([renewed.body.id, application.body.id === first.body.id]).toEqual([first.body.id, false])
  })

  it('gives no answer to a token with other limits, which could not have caused it', async () => {
    const tokenWith = async (limits: Partial<TokenInput>) =>
      (await createToken(started.app, operator, { login: 'admin', label: 'test', ...limits })).secret
    const other = await organize(started).group()
    const limited = await tokenWith({ groupGuids: [other] })
    const key = newKey()
    const first = await shorten(key)
    expect((await shorten(key, {}, limited)).body.message).toBe('IDEMPOTENCY_KEY_REUSED')
    const ownKey = newKey()
    const own = await shorten(ownKey, {}, limited)
    expect([own.status, own.body.id === first.body.id]).toEqual([201, false])
    expect((await shorten(ownKey, {}, await tokenWith({ groupGuids: [other] }))).text).toBe(own.text)
    expect((await shorten(ownKey)).status).toBe(422)
    // Its answer has the secret that signs events, which this token may not read.
    const hook = { name: 'Hook', event: 'engagement', url: 'https://example.com/', is_active: false }
    const body = { organization_guid: await firstOrganization(started), ...hook }
    const headers = { 'idempotency-key': newKey() }
    expect((await started.request('POST', '/v4/webhooks', { body, headers })).status).toBe(201)
    const token = await tokenWith({ scopes: ['webhooks'] })
    const replayed = await started.request('POST', '/v4/webhooks', { body, headers, token })
    expect([replayed.status, replayed.body.message]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
  })

  it('shows nothing to a user who has no access any more', async () => {
    const member = await aMember(started, started.groupGuid)
    const key = newKey()
    const ask = () => shorten(key, { group_guid: started.groupGuid }, member)
    expect((await ask()).status).toBe(201)
    await inRecords(started, "update group_members set role = 'reader' where login not in ('admin')")
    started.app.tokens.clear()
    expect((await ask()).status).toBe(403)
  })

  it('keeps what a second store wrote with the link: a mobile app that a deep link names', async () => {
    const deeplinks = [{ app_id: 'com.example.shop', app_uri_path: '/x', install_type: 'no_install', os: 'android' }]
    const key = newKey()
    const ask = () => post('/v4/shortlinks', { long_url: 'https://example.com/deep', deeplinks }, key)
    const first = await ask()
    expect([first.status, first.body.deeplinks?.length]).toEqual([201, 1])
    expect((await ask()).text).toBe(first.text)
    expect((await started.request('GET', `/v4/shortlinks/${first.body.id}`)).body.deeplinks).toEqual(
      first.body.deeplinks,
    )
  })

  it('is used by links that redirect at once', async () => {
    const keyword = `kept${newNumber()}`
    const visit = () => started.request('GET', `/${keyword}`, { token: null, headers: { host: branded } })
    expect((await visit()).status).toBe(404)
    await post('/v4/shortlinks', { long_url: 'https://example.com/now', domain: branded, keyword }, newKey())
    expect((await visit()).headers.location).toBe('https://example.com/now')
  })

  it('means nothing to other operations', async () => {
    const headers = { 'idempotency-key': newKey() }
    const read = () => started.request('GET', '/v4/user', { headers })
    expect([(await read()).status, (await read()).headers['idempotent-replayed']]).toEqual([200, undefined])
  })

  it('does not stay readable in the records', async () => {
    await post('/v4/shortlinks', { long_url: 'https://example.com/s', title: 'Top secret' }, newKey())
    const rows = await inRecords(started, 'select id, body from idempotency_keys')
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain('Top secret')
  })
})

describe('the OpenAPI document', () => {
  it('lists the header for every operation that accepts it', async () => {
    const { body } = await started.request('GET', '/openapi.json', { token: null })
    const accepting = Object.entries(
      writtenOut(body).paths as Record<string, Record<string, { parameters?: { name: string }[] }>>,
    )
      .flatMap(([path, methods]) =>
        Object.values(methods).map(({ parameters = [] }) => ({ path, names: parameters.map(({ name }) => name) })),
      )
      .filter((each) => each.names.includes('idempotency-key'))
    expect(accepting.length).toBe(operations.length)
  })
})

async function links(): Promise<number> {
  return (await inRecords(started, 'select id from links')).length
}
