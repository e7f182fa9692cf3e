/** One rule for all lists that can grow (docs/api/README.md#pagination). */
import { beforeAll, describe, expect, it } from 'vitest'
import { writtenOut } from '../support/openapi.js'
import { useApp } from '../support/start-app.js'
import { firstOrganization } from './organize.js'

/** Answers with a list that is no list of resources, or whose length is fixed. Reports have a unit. */
const others = new Set([
  ...[
    'getShortlink',
    'getCustomShortlink',
    'getQrCode',
    'getDomain',
    'getCustomDomain',
    'getMobileApp',
    'getGroup',
    'getOrganization',
  ],
  ...['getUser', 'getWebhook', 'getWebhookDelivery', 'getCustomDomainDns', 'getBulkJob', 'getUserToken'],
  ...['getOrganizationShortenCountsByGroup', 'getFeatureUsage', 'getHistoricalUsage', 'getPlatformLimits'],
  ...['getPlanLimits', 'getStreamAccess', 'getSite'],
])

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: object }[]
  readonly responses: Readonly<Record<string, { content?: Readonly<Record<string, { schema: Schema }>> }>>
}

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
}

interface List {
  readonly path: string
  readonly operation: Operation
  readonly field: string
  readonly answer: Schema
}

const started = useApp()
let lists: readonly List[]
let values: Readonly<Record<string, string>>
beforeAll(async () => {
  const document = writtenOut((await started.request('GET', '/openapi.json')).body)
  const whole = ({ $ref, ...schema }: Schema): Schema =>
    $ref === undefined ? schema : document.components.schemas[$ref.replace(/.*\//, '')]
  lists = Object.entries<{ readonly get?: Operation }>(document.paths).flatMap(([path, { get: operation }]) => {
    const schema = operation?.responses[200]?.content?.['application/json']?.schema
    if (!operation || !schema || others.has(operation.operationId)) return []
    if (operation.parameters?.some(({ name }) => name === 'unit')) return []
    const answer = whole(schema)
    const [field] = Object.entries(answer.properties ?? {}).find(([, { type }]) => type === 'array') ?? []
    return field === undefined ? [] : [{ path, operation, field, answer }]
  })
  values = { group_guid: started.groupGuid, organization_guid: await firstOrganization(started), ...(await fill()) }
})

const post = async (path: string, body: object) => (await started.request('POST', path, { body })).body

/** Some entries for most lists. */
async function fill(): Promise<Readonly<Record<string, string>>> {
  const group_guid = started.groupGuid
  const organization_guid = await firstOrganization(started)
  const { id: changed } = await post('/v4/shorten', { long_url: 'https://example.com/' })
  for (const number of [1, 2, 3]) {
    const name = `Number ${number}`
    await post('/v4/campaigns', { group_guid, name })
    await post('/v4/channels', { group_guid, name })
    await post('/v4/user/tokens', { label: name })
    await post(`/v4/groups/${group_guid}/utm_templates`, { name, utm_source: name })
    await post(`/v4/groups/${group_guid}/views`, { name, page: 'links' })
    await post(`/v4/groups/${group_guid}/annotations`, { happened_at: '2026-11-17T09:00:00+0000', text: name })
    await post(`/v4/organizations/${organization_guid}/invitations`, { email: `n${number}@example.com`, group_guid })
    const link = { long_url: `https://example.com/${number}`, keyword: `number-${number}`, tags: [`tag ${number}`] }
    const { id } = await post('/v4/shortlinks', link)
    await post('/v4/qr-codes', { group_guid, destination: { shortlink_id: id } })
    await post(`/v4/organizations/${organization_guid}/groups`, { name })
    await started.request('PATCH', `/v4/shortlinks/${changed}`, { body: { title: name } })
  }
  const webhook = { organization_guid, name: 'One', event: 'engagement', url: 'https://example.com/' }
  const [domain, hash] = changed.split('/')
  return { webhook_guid: (await post('/v4/webhooks', webhook)).guid, domain, hash }
}

const pathOf = (path: string) => path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name)
const ask = (path: string, query: string) => started.request('GET', `${pathOf(path)}${query}`)

describe('every list that can grow', () => {
  it('has size, search_after and pagination in the document', () => {
    const missing = lists.filter(({ operation: { parameters = [] }, answer }) => {
      const size = parameters.find(({ name }) => name === 'size')?.schema
      const hasCursor = parameters.some(({ name }) => name === 'search_after')
      return !(size && 'maximum' in size && size.maximum === 100 && hasCursor && answer.properties?.pagination)
    })
    expect(missing.map(({ path }) => path)).toEqual([])
    expect(lists.length).toBeGreaterThan(25)
  })

  it.each(['0', '101', 'many'])('answers 400 for size=%s', async (size) => {
    for (const { path } of lists) {
      const { status, body } = await ask(path, `?size=${size}`)
      expect([path, status, body.message]).toEqual([path, 400, 'INVALID_ARG_SIZE'])
    }
  })

  it('answers 400 for a cursor that it did not give', async () => {
    for (const { path } of lists) {
      const { status, body } = await ask(path, '?size=1&search_after=nonsense')
      expect([path, status, body.message]).toEqual([path, 400, 'INVALID_ARG_SEARCH_AFTER'])
    }
  })

  it('answers pages that are together the whole list', async () => {
    for (const { path, field } of lists) {
      const whole = (await ask(path, '?size=100')).body[field]
      const walked: unknown[] = []
      let next = `${pathOf(path)}?size=1`
      while (next !== '') {
        const { status, body } = await started.request('GET', next)
        expect([path, status, body.pagination?.size]).toEqual([path, 200, 1])
        expect(body[field].length).toBeLessThanOrEqual(1)
        walked.push(...body[field])
        next = body.pagination.next === '' ? '' : body.pagination.next.replace(started.app.config.baseUrl, '')
      }
      expect([path, walked.length]).toEqual([path, whole.length])
      // `last_used_at` of the token changes with each request.
      if (field !== 'tokens' && field !== 'audit_log') expect(walked).toEqual(whole)
    }
  })
})

describe('a list that answers everything by default', () => {
  const campaigns = async (query = '') => (await ask('/v4/campaigns', query)).body

  it('has no pagination unless a size is sent', async () => {
    const all = await campaigns()
    expect(all).not.toHaveProperty('pagination')
    expect(all.campaigns).toHaveLength(3)
    const { campaigns: page, pagination } = await campaigns('?size=2')
    expect([page, pagination]).toEqual([
      all.campaigns.slice(0, 2),
      { next: expect.stringContaining('size=2'), search_after: expect.any(String), size: 2 },
    ])
  })

  it('continues after entries that were added, and after one that was deleted', async () => {
    const all = (await campaigns()).campaigns
    const first = await campaigns('?size=1')
    const rest = `?size=100&search_after=${first.pagination.search_after}`
    await post('/v4/campaigns', { group_guid: started.groupGuid, name: 'New' })
    expect((await campaigns(rest)).campaigns).toEqual(all.slice(1))
    const newest = (await campaigns('?size=1')).campaigns[0]
    await started.request('DELETE', `/v4/campaigns/${newest.guid}`)
    await started.request('DELETE', `/v4/campaigns/${all[0].guid}`)
    expect((await campaigns(rest)).campaigns).toEqual(all.slice(1))
  })
})

describe('an entry of a list', () => {
  it.each([
    ['/v4/user/tokens', 'tokens'],
    ['/v4/organizations/{organization_guid}/invitations', 'invitations'],
    ['/v4/groups/{group_guid}/utm_templates', 'utm_templates'],
    ['/v4/groups/{group_guid}/views', 'views'],
    ['/v4/groups/{group_guid}/annotations', 'annotations'],
  ])('of %s can be read by itself', async (path, field) => {
    const { last_used_at: _, ...entry } = (await ask(path, '')).body[field].at(-1)
    expect(await ask(`${path}/${entry.guid}`, '')).toMatchObject({ status: 200, body: entry })
    expect((await ask(`${path}/Xnone123456`, '')).status).toBe(404)
  })

  it.each(['campaign', 'channel'])('that is a %s can be deleted; links and what is connected stay', async (kind) => {
    const { groupGuid: group_guid } = started
    const campaign_guid = (await post('/v4/campaigns', { group_guid, name: 'Connected' })).guid
    const { id } = await post('/v4/shorten', { long_url: `https://example.com/of-${kind}` })
    const shortlinks = [{ campaign_guid, shortlink_id: id }]
    const { guid: channel_guid } = await post('/v4/channels', { group_guid, name: 'Connected', shortlinks })
    const read = async (path: string) => (await started.request('GET', path)).body
    expect((await read(`/v4/shortlinks/${id}`)).campaign_ids).toEqual([campaign_guid])
    const [gone, stays] = kind === 'campaign' ? [campaign_guid, channel_guid] : [channel_guid, campaign_guid]
    const path = `/v4/${kind}s/${gone}`
    const answers = [await started.request('DELETE', path), await started.request('DELETE', path)]
    expect(answers.map(({ status }) => status)).toEqual([204, 404])
    expect((await started.request('GET', path)).status).toBe(404)
    expect((await read(`/v4/shortlinks/${id}`)).campaign_ids).toEqual([])
    expect((await read(`/v4/${kind === 'campaign' ? 'channels' : 'campaigns'}/${stays}`)).guid).toBe(stays)
    const { audit_log } = await read(`/v4/organizations/${values.organization_guid}/audit_log?size=1`)
    expect(audit_log).toMatchObject([{ action: `${kind}_removed`, subject: gone, details: { name: 'Connected' } }])
  })

  it('that is an image can be renamed', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>'
    const answer = await fetch(`${started.app.config.baseUrl}/v4/images?name=Old`, {
      method: 'POST',
      headers: { authorization: `Bearer ${started.token}`, 'content-type': 'image/svg+xml' },
      body: svg,
    })
    const image = (await answer.json()) as { readonly guid: string }
    const path = `/v4/images/${image.guid}`
    const renamed = await started.request('PATCH', path, { body: { name: 'New' } })
    expect([renamed.status, renamed.body]).toEqual([200, { ...image, name: 'New' }])
    expect((await started.request('GET', path)).body.name).toBe('New')
    expect((await started.request('PATCH', path, { body: { name: 'x'.repeat(256) } })).status).toBe(400)
  })
})
