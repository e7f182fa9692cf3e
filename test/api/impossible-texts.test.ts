import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SqlEngine, sqlEngines, type TestDatabase } from '../support/sql-engines.js'
import { type StartedApp, startApp, useApp } from '../support/start-app.js'
import { firstOrganization } from './organize.js'

/** PostgreSQL cannot store NUL; SQLite can, but both must give the same answer. */
const nul = 'a\u0000b'
const long_url = 'https://example.com/impossible'

/** What the requests below are about. */
interface World {
  readonly group: string
  readonly organization: string
  readonly link: string
}

interface Request {
  readonly operation: string
  readonly path: (world: World) => string
  readonly body?: (world: World) => object
}

const domainAt = ({ organization }: World) => `/v4/organizations/${organization}/domains/%00`
const streamAt = () => '/v4/organizations/%00/stream_access'
const memberAt = ({ organization }: World) => `/v4/organizations/${organization}/members/%00`
const groupMemberAt = ({ group }: World) => `/v4/groups/${group}/members/%00`
const archiving = (id: string) => ({ action: 'archive', archive: true, links: [id] })
const carried = { campaign_guid: 'C0000000000', shortlink_id: `go.example/${nul}` }

/** Each begins with its method. */
const requests: readonly Request[] = [
  { operation: 'GET a link', path: () => '/v4/shortlinks/go.example/%00' },
  { operation: 'GET a link of a domain', path: () => '/v4/shortlinks/%00/word' },
  { operation: 'GET a custom link', path: () => '/v4/custom_shortlinks/go.example/%00' },
  { operation: 'GET an application', path: () => '/v4/apps/%00' },
  { operation: 'GET a campaign', path: () => '/v4/campaigns/%00' },
  { operation: 'GET a channel', path: () => '/v4/channels/%00' },
  { operation: 'GET a group', path: () => '/v4/groups/%00' },
  { operation: 'GET groups', path: () => '/v4/groups?organization_guid=%00' },
  { operation: 'GET channels', path: () => '/v4/channels?campaign_guid=%00' },
  { operation: 'GET links', path: ({ group }) => `/v4/groups/${group}/shortlinks?query=%00` },
  { operation: 'GET a domain', path: domainAt },
  { operation: 'DELETE a domain', path: domainAt },
  { operation: 'POST a check of a domain', path: (world) => `${domainAt(world)}/verify` },
  { operation: 'PATCH a domain', path: domainAt, body: () => ({}) },
  { operation: 'GET members', path: () => '/v4/organizations/%00/members' },
  { operation: 'PUT a member', path: memberAt, body: () => ({ role: 'member' }) },
  { operation: 'DELETE a member', path: memberAt },
  { operation: 'PUT a member of a group', path: groupMemberAt, body: () => ({ role: 'member' }) },
  { operation: 'DELETE a member of a group', path: groupMemberAt },
  { operation: 'GET stream access', path: streamAt },
  { operation: 'PUT stream access', path: streamAt },
  { operation: 'DELETE stream access', path: streamAt },
  { operation: 'PATCH a plan', path: () => '/v4/organizations/%00/plan', body: () => ({ plan: 'unlimited' }) },
  { operation: 'GET a mobile app', path: ({ organization }) => `/v4/organizations/${organization}/mobile_apps/%00` },
  { operation: 'POST a long URL', path: () => '/v4/shorten', body: () => ({ long_url: `https://example.com/${nul}` }) },
  { operation: 'POST a domain', path: () => '/v4/shorten', body: () => ({ long_url, domain: nul }) },
  { operation: 'POST a title', path: () => '/v4/shortlinks', body: () => ({ long_url, title: nul }) },
  { operation: 'POST a tag', path: () => '/v4/shortlinks', body: () => ({ long_url, tags: [nul] }) },
  { operation: 'POST a keyword', path: () => '/v4/shortlinks', body: () => ({ long_url, keyword: nul }) },
  { operation: 'POST an id', path: () => '/v4/expand', body: () => ({ shortlink_id: `go.example/${nul}` }) },
  {
    operation: 'PATCH many links',
    path: ({ group }) => `/v4/groups/${group}/shortlinks`,
    body: () => archiving(`go.example/${nul}`),
  },
  { operation: 'PATCH domains of a group', path: ({ group }) => `/v4/groups/${group}`, body: () => ({ bsds: [nul] }) },
  {
    operation: 'PATCH preferences',
    path: ({ group }) => `/v4/groups/${group}/preferences`,
    body: () => ({ domain_preference: nul }),
  },
  { operation: 'PATCH the user', path: () => '/v4/user', body: () => ({ name: nul }) },
  {
    operation: 'POST a campaign',
    path: () => '/v4/campaigns',
    body: ({ group }) => ({ group_guid: group, name: 'x', channel_guids: [nul] }),
  },
  {
    operation: 'POST a channel',
    path: () => '/v4/channels',
    body: ({ group }) => ({ group_guid: group, name: 'x', shortlinks: [carried] }),
  },
]

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(`texts that cannot be stored: ${engine.title}`, () => {
    let database: TestDatabase | undefined
    let started: StartedApp
    let world: World
    beforeAll(async () => {
      database = await sharedDatabase(engine)
      started = await startApp({ databaseUrl: database?.databaseUrl })
      const { id: link } = (await send('POST', '/v4/shorten', { long_url })).body
      world = { group: started.groupGuid, organization: await firstOrganization(started), link }
    })
    afterAll(async () => {
      await started.close()
      await database?.remove()
    })
    const send = (method: string, path: string, body?: object) =>
      started.request(method, path, body === undefined ? {} : { body })

    it.each(requests)('are rejected or not found: $operation', async ({ operation, path, body }) => {
      const { status } = await send(operation.split(' ')[0] ?? '', path(world), body?.(world))
      expect([400, 403, 404]).toContain(status)
    })

    it('as the guid of a deep link create a new one', async () => {
      const deeplinks = [{ guid: nul, os: 'ios' }]
      const { status, body } = await send('PATCH', `/v4/shortlinks/${world.link}`, { deeplinks })
      expect([status, body.deeplinks?.[0]?.guid]).toEqual([200, expect.stringMatching(/^R\w{10}$/)])
    })
  })
}

/** Migrated; undefined for the embedded engine. */
async function sharedDatabase(engine: SqlEngine): Promise<TestDatabase | undefined> {
  if (engine.name === 'sqlite') return undefined
  const database = await engine.create()
  const records = await database.connect()
  await records.migrate()
  await records.close()
  return database
}

describe('very long texts', () => {
  const started = useApp()

  it('are not repeated in full in the error', async () => {
    const endless = 'x'.repeat(500_000)
    const organization = await firstOrganization(started)
    const answers = [
      await started.request('POST', '/v4/shorten', { body: { long_url, domain: endless } }),
      await started.request('POST', `/v4/organizations/${organization}/domains`, { body: { domain: endless } }),
      await started.request('PATCH', `/v4/groups/${started.groupGuid}`, { body: { bsds: [endless] } }),
      await started.request('PATCH', `/v4/groups/${started.groupGuid}/shortlinks`, {
        body: archiving(`${started.domain}/${endless}`),
      }),
      await started.request('PATCH', `/v4/groups/${started.groupGuid}/preferences`, {
        body: { domain_preference: endless },
      }),
    ]
    for (const { text } of answers) expect(text.length).toBeLessThan(1000)
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 404, 400])
    const path = `/v4/organizations/${organization}/mobile_apps/${'x'.repeat(10_000)}`
    const { status, text } = await started.request('GET', path)
    expect([status, text.length < 1000]).toEqual([404, true])
  })

  // Many JSON parsers fail on a lone surrogate, escaped or not.
  it.each(['\ud83d', `${'x'.repeat(59)}😀😀`])('are not cut through a character: %j', async (keyword) => {
    const { status, body } = await started.request('POST', '/v4/shortlinks', { body: { long_url, keyword } })
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_SHORTLINK'])
    expect(body.description).toContain('\ufffd')
    expect(body.description).not.toMatch(/\p{Cs}/u)
  })
})
