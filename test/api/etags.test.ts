import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, useApp } from '../support/start-app.js'
import { firstOrganization } from './organize.js'

const started = useApp({ linkWord: ['bitlink'] })
let organization_guid: string
beforeAll(async () => {
  organization_guid = await firstOrganization(started)
})

const ask = (method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}) =>
  started.request(method, path, { ...(body && { body }), headers })
const get = (path: string, headers = {}) => ask('GET', path, undefined, headers)
const etagOf = ({ headers }: Answer) => headers.etag ?? 'none'
const strong = expect.stringMatching(/^"[\w-]{22}"$/)

let count = 0
const name = () => `Thing ${count++}`
const longUrl = () => `https://example.com/${count++}`

interface Resource {
  readonly kind: string
  /** Where one is created, and with what. */
  readonly create: readonly [path: string, body: () => object]
  readonly path: (created: { readonly [field: string]: string }) => string
  readonly change: (value: string) => object
  readonly shown: (body: { readonly [field: string]: string }) => string | undefined
}
const group = () => ({ group_guid: started.groupGuid })
const resources: readonly Resource[] = [
  {
    kind: 'a link',
    create: ['/v4/shortlinks', () => ({ long_url: longUrl() })],
    path: ({ id }) => `/v4/shortlinks/${id}`,
    change: (title) => ({ title }),
    shown: ({ title }) => title,
  },
  {
    kind: 'a QR code',
    create: ['/v4/qr-codes', () => ({ ...group(), destination: { long_url: longUrl() } })],
    path: ({ qrcode_id }) => `/v4/qr-codes/${qrcode_id}`,
    change: (title) => ({ title }),
    shown: ({ title }) => title,
  },
  {
    kind: 'a campaign',
    create: ['/v4/campaigns', () => ({ ...group(), name: name() })],
    path: ({ guid }) => `/v4/campaigns/${guid}`,
    change: (value) => ({ name: value }),
    shown: (body) => body.name,
  },
  {
    kind: 'a channel',
    create: ['/v4/channels', () => ({ ...group(), name: name() })],
    path: ({ guid }) => `/v4/channels/${guid}`,
    change: (value) => ({ name: value }),
    shown: (body) => body.name,
  },
  {
    kind: 'a webhook',
    create: [
      '/v4/webhooks',
      () => ({ organization_guid, name: name(), event: 'engagement', url: 'https://example.com/' }),
    ],
    path: ({ guid }) => `/v4/webhooks/${guid}`,
    change: (value) => ({ name: value }),
    shown: (body) => body.name,
  },
]

async function created({ create: [collection, body], path }: Resource) {
  const answer = await ask('POST', collection, body())
  return { path: path(answer.body), etag: etagOf(answer) }
}

describe.each(resources)('the ETag of $kind', (resource) => {
  const { change, shown } = resource

  it('is the same for creating, reading and changing it, and another after a change', async () => {
    const { path, etag } = await created(resource)
    expect(etag).toEqual(strong)
    expect(etagOf(await get(path))).toBe(etag)
    const changed = await ask('PATCH', path, change('Changed'))
    expect(etagOf(changed)).toEqual(strong)
    expect(etagOf(changed)).not.toBe(etag)
    expect(etagOf(await get(path))).toBe(etagOf(changed))
  })

  it('answers 304 without a body to those who have it', async () => {
    const { path, etag } = await created(resource)
    for (const known of [etag, `W/${etag}`, `"a,b", ${etag}`, '*']) {
      const answer = await get(path, { 'if-none-match': known })
      expect([answer.status, answer.text, etagOf(answer)]).toEqual([304, '', etag])
    }
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200)
  })

  it('lets those change it who have it, one change after the other', async () => {
    const { path, etag } = await created(resource)
    const first = await ask('PATCH', path, change('One'), { 'if-match': etag })
    expect([first.status, shown(first.body)]).toEqual([200, 'One'])
    const second = await ask('PATCH', path, change('Two'), { 'if-match': `"other", ${etagOf(first)}` })
    expect([second.status, shown(second.body)]).toEqual([200, 'Two'])
    expect((await ask('PATCH', path, change('Three'), { 'if-match': '*' })).status).toBe(200)
    const last = await ask('PATCH', path, change('Four'), {
      'if-match': etagOf(await get(path)),
      'idempotency-key': 'x',
    })
    expect([last.status, shown(last.body)]).toEqual([200, 'Four'])
  })

  it('lets nobody change or delete it who has an older one', async () => {
    const { path, etag } = await created(resource)
    const changed = await ask('PATCH', path, change('Of a colleague'))
    for (const old of [etag, `W/${etagOf(changed)}`, etagOf(changed).slice(1, -1), '"a", "b"']) {
      const refused = await ask('PATCH', path, change('Mine'), { 'if-match': old })
      expect([refused.status, refused.body.message]).toEqual([412, 'PRECONDITION_FAILED'])
      expect(refused.headers.etag).toBeUndefined()
      expect((await ask('DELETE', path, undefined, { 'if-match': old })).status).toBe(412)
    }
    expect(shown((await get(path)).body)).toBe('Of a colleague')
  })

  it('lets those delete it who have it', async () => {
    const { path, etag } = await created(resource)
    expect((await ask('DELETE', path, undefined, { 'if-match': etag })).status).toBeLessThan(300)
    const again = await ask('DELETE', path, undefined, { 'if-match': etag })
    expect([404, 410]).toContain(again.status)
  })

  it('lets one of ten change it at once', async () => {
    const { path, etag } = await created(resource)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => ask('PATCH', path, change(`Change ${index}`), { 'if-match': etag })),
    )
    const winners = answers.filter(({ status }) => status === 200)
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)])
    expect((await get(path)).body).toMatchObject(change(shown(winners[0]?.body) ?? ''))
  })

  it('overwrites no change that was made at the same time without it', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { path, etag } = await created(resource)
      const [plain, careful] = await Promise.all([
        ask('PATCH', path, change('Plain')),
        ask('PATCH', path, change('Careful'), { 'if-match': etag }),
      ])
      expect(plain.status).toBe(200)
      expect([200, 412]).toContain(careful.status)
      // If the careful one was first, the plain one was made on top of it.
      expect(shown((await get(path)).body)).toBe('Plain')
    }
  })
})

describe('the ETag of a campaign', () => {
  it('tells changes of its channels apart, also within a second', async () => {
    const campaign = await created(resources[2] as Resource)
    const channels = await Promise.all([1, 2].map(() => ask('POST', '/v4/channels', { ...group(), name: name() })))
    const etags = new Set([campaign.etag])
    for (const { body } of channels) {
      etags.add(etagOf(await ask('PATCH', campaign.path, { channel_guids: [body.guid] })))
    }
    expect(etags.size).toBe(3)
  })
})

describe('If-Match on a QR code', () => {
  it('holds for its destination and its coupling', async () => {
    const { path, etag } = await created(resources[1] as Resource)
    const body = { long_url: longUrl() }
    const redirected = await ask('PATCH', `${path}/redirect`, body, { 'if-match': etag })
    expect([redirected.status, etagOf(redirected)]).toEqual([200, etagOf(await get(path))])
    expect((await ask('PATCH', `${path}/redirect`, body, { 'if-match': etag })).status).toBe(412)
    expect((await ask('PUT', `${path}/to-shortlink`, undefined, { 'if-match': etag })).status).toBe(412)
    const coupled = await ask('PUT', `${path}/to-shortlink`, undefined, { 'if-match': etagOf(redirected) })
    expect(coupled.status).toBe(200)
  })
})

describe('If-Match on undoing a change', () => {
  it('undoes it for those who have the link as it is, and for nobody else', async () => {
    const { path, etag } = await created(resources[0] as Resource)
    const changed = await ask('PATCH', path, { title: 'Changed' })
    const [{ guid }] = (await get(`${path}/history`)).body.history
    const undo = (ifMatch: string) => ask('POST', `${path}/restore`, { guid }, { 'if-match': ifMatch })
    const refused = await undo(etag)
    expect([refused.status, refused.body.message]).toEqual([412, 'PRECONDITION_FAILED'])
    expect((await get(path)).body.title).toBe('Changed')
    const undone = await undo(etagOf(changed))
    expect([undone.status, undone.body.title, etagOf(undone)]).toEqual([200, undefined, etagOf(await get(path))])
    expect((await undo('*')).status).toBe(200)
  })
})

describe('If-Match', () => {
  it('is looked at after access and fields', async () => {
    const { path } = await created(resources[0] as Resource)
    const stale = { 'if-match': '"old"' }
    expect((await ask('PATCH', path, { title: 5 }, stale)).status).toBe(400)
    expect((await ask('PATCH', `/v4/shortlinks/${started.domain}/nothing`, { title: 'x' }, stale)).status).toBe(404)
    expect((await started.request('PATCH', path, { body: { title: 'x' }, headers: stale, token: null })).status).toBe(
      403,
    )
  })

  it('holds for a change that changes nothing', async () => {
    const { path, etag } = await created(resources[0] as Resource)
    const same = await ask('PATCH', path, {}, { 'if-match': etag })
    expect([same.status, etagOf(same)]).toEqual([200, etag])
  })

  it('undoes nothing of what visitors see: the redirect changes with the link', async () => {
    const { body, ...rest } = await ask('POST', '/v4/shortlinks', { long_url: longUrl() })
    const [, hash] = body.id.split('/')
    const follow = async () => (await fetch(`${started.url}/${hash}`, { redirect: 'manual' })).headers.get('location')
    expect(await follow()).toBe(body.long_url)
    const change = { long_url: 'https://example.com/elsewhere' }
    const headers = { 'if-match': etagOf({ body, ...rest } as Answer) }
    expect((await ask('PATCH', `/v4/shortlinks/${body.id}`, change, headers)).status).toBe(200)
    expect(await follow()).toBe('https://example.com/elsewhere')
  })
})

it('is the same in another word for links, and without compression', async () => {
  const { path, etag } = await created(resources[0] as Resource)
  expect(etagOf(await get(path.replace('shortlinks', 'bitlinks')))).toBe(etag)
  const long = await ask('PATCH', path, { title: 'x'.repeat(2000) })
  const answer = await get(path, { 'accept-encoding': 'gzip' })
  expect([answer.headers['content-encoding'], etagOf(answer)]).toEqual([undefined, etagOf(long)])
})

it('has no ETag on lists', async () => {
  for (const path of [`/v4/groups/${started.groupGuid}/shortlinks`, '/v4/campaigns', '/v4/channels']) {
    expect((await get(path)).headers.etag).toBeUndefined()
  }
})

it('an operation without ETags does not ignore If-Match', async () => {
  const refused = { status: 412, body: { message: 'PRECONDITION_FAILED' } }
  expect(await ask('PATCH', '/v4/user', { name: 'Other' }, { 'if-match': '"x"' })).toMatchObject(refused)
  expect((await get('/v4/user')).body.name).not.toBe('Other')
  expect(await ask('PATCH', '/v4/user', { name: 'Other' }, { 'if-match': '*' })).toMatchObject({ status: 200 })
})
