import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { operate } from '../../src/core/administration/operations.js'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { firstOrganization } from './organize.js'
import { visit } from './visits.js'

const started = useApp({ trustProxy: 1 })
const group = () => `/v4/groups/${started.groupGuid}`
let first = ''
let second = ''
beforeAll(async () => {
  const shorten = async (body: object) => (await started.request('POST', '/v4/shortlinks', { body })).body.id as string
  first = await shorten({ long_url: 'https://example.com/first', title: '=SUM(A1:A9)', tags: ['a', 'b'] })
  const rows = Array.from({ length: 1_200 }, (_, row) => `https://example.com/row/${row},many`)
  const headers = { 'content-type': 'text/csv' }
  const file = await started.request('POST', '/v4/bulk/jobs', { body: `long_url,tags\n${rows.join('\n')}`, headers })
  await ended(`/v4/bulk/jobs/${file.body.guid}`)
  second = await shorten({ long_url: 'https://example.com/second', title: 'Say "hi", twice' })
  await visit(started, first, { referrer: 'https://news.example/@one' })
  await visit(started, first, { scan: true })
  await visit(started, second)
  await visit(started, second, { agent: 'robot' })
  await started.clicksCounted()
})

const post = (path: string, body?: object, token?: string) =>
  started.request('POST', path, { ...(body && { body }), ...(token !== undefined && { token }) })
const get = (path: string, token?: string) => started.request('GET', path, token === undefined ? {} : { token })
const exportLinks = (query = '', body: object = {}, token?: string) =>
  post(`${group()}/shortlinks/exports${query}`, body, token)

async function ended(path: string) {
  for (;;) {
    const { body } = await get(path)
    if (body.state !== 'waiting' && body.state !== 'running') return body
    await wait(10)
  }
}
async function fileOf(answer: { readonly status: number; readonly body: { guid: string } }): Promise<string[]> {
  expect(answer.status).toBe(202)
  const job = await ended(`/v4/exports/${answer.body.guid}`)
  expect(job).toMatchObject({ state: 'done' })
  const file = await get(`/v4/exports/${job.guid}/file`)
  expect([file.status, file.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
  expect(file.headers['content-disposition']).toContain(`${job.export_type}-`)
  const lines = file.text.split('\n').slice(0, -1)
  expect(job).toMatchObject({ rows_total: lines.length - 1, rows_done: lines.length - 1, bytes: file.bytes.length })
  return lines
}

describe('POST /v4/groups/{group_guid}/shortlinks/exports', () => {
  it('answers 202 with an export, whose file then has all links, newest first', async () => {
    const answer = await exportLinks()
    expect(answer.body).toMatchObject({
      group_guid: started.groupGuid,
      export_type: 'links',
      state: 'waiting',
      rows_done: 0,
      created_by: 'admin',
      references: { file: `${started.app.config.baseUrl}/v4/exports/${answer.body.guid}/file` },
    })
    const [header, ...rows] = await fileOf(answer)
    expect(header).toBe(
      'id,link,long_url,title,created_at,created_by,archived,tags,custom_shortlinks,campaign_ids,expiration_at,' +
        'note,private,forward_query',
    )
    expect(rows).toHaveLength(1_202)
    expect(rows[0]).toMatch(new RegExp(`^${second},http://${second},https://example.com/second,"Say ""hi"", twice",`))
    // A spreadsheet executes no formula.
    expect(rows.at(-1)).toMatch(new RegExp(`^${first},.*,'=SUM\\(A1:A9\\),.*,a;b,`))
    expect(new Set(rows).size).toBe(1_202)
  })

  it('has the links that match the parameters of the list, or those that are named', async () => {
    expect(await fileOf(await exportLinks('?tags=many'))).toHaveLength(1_201)
    expect(await fileOf(await exportLinks('?query=nothing-like-it'))).toHaveLength(1)
    const [, ...named] = await fileOf(await exportLinks('', { shortlinks: [first, second] }))
    expect(named.map((line) => line.split(',')[0])).toEqual([first, second])
    expect((await exportLinks('', { shortlinks: ['localhost/nothing'] })).body.message).toBe('INVALID_ARG_SHORTLINKS')
    expect((await exportLinks('?campaign_guid=Cnothing')).status).toBe(404)
  })

  it('adds engagements when asked to', async () => {
    const [header, ...rows] = await fileOf(await exportLinks('?tags=a', { include_metrics: true }))
    expect(header).toMatch(/,clicks,scans,button_clicks$/)
    expect(rows[0]).toMatch(/,1,1,0$/)
    expect((await exportLinks('', { include_metrics: true, unix_from: 5 })).body.message).toBe('INVALID_ARG_UNIX_TO')
  })

  it('is for the members of the group, readers too, and in the audit log', async () => {
    const reader = await aMember(started, started.groupGuid, 'reader')
    expect((await exportLinks('', {}, reader)).status).toBe(202)
    expect((await exportLinks('', {}, (await aStranger(started)).token)).status).toBe(403)
    const made = await exportLinks('?tags=a')
    const { body } = await get(`/v4/organizations/${await firstOrganization(started)}/audit_log?action=export_made`)
    expect(body.audit_log[0]).toMatchObject({
      login: 'admin',
      subject: started.groupGuid,
      details: { export: made.body.guid, type: 'links' },
    })
    await ended(`/v4/exports/${made.body.guid}`)
  })
})

describe('POST .../metrics/latest/exports', () => {
  it('writes a row for each engagement of a group, a link, a campaign or a QR code, newest first', async () => {
    const [header, ...rows] = await fileOf(await post(`${group()}/metrics/latest/exports`))
    expect(header).toMatch(/^clicked_at,type,link,destination,traffic_class,country,/)
    expect(rows.map((line) => line.split(',').slice(1, 3))).toEqual([
      ['click', second],
      ['scan', first],
      ['click', first],
    ])
    expect(rows[2]).toContain('https://news.example/@one')
    const ofLink = (query = '') => post(`/v4/shortlinks/${first}/metrics/latest/exports${query}`)
    expect(await fileOf(await ofLink())).toHaveLength(3)
    expect(await fileOf(await ofLink('?kind=scan'))).toHaveLength(2)
    expect(await fileOf(await ofLink('?country=is:FR'))).toHaveLength(1)
    expect((await ofLink('?units=0')).body.message).toBe('INVALID_ARG_UNITS')
    expect((await post('/v4/shortlinks/localhost/nothing/metrics/latest/exports')).status).toBe(404)
    const campaign = await post('/v4/campaigns', { group_guid: started.groupGuid, name: 'Spring' })
    expect(await fileOf(await post(`/v4/campaigns/${campaign.body.guid}/metrics/latest/exports`))).toHaveLength(1)
  })
})

describe('/v4/exports/{export_guid}', () => {
  it('lists the exports of a group apart from other jobs', async () => {
    const made = await exportLinks('?tags=a')
    const listed = await get(`${group()}/exports?size=1`)
    expect(listed.body.exports).toMatchObject([{ guid: made.body.guid }])
    expect(listed.body.pagination.next).not.toBe('')
    const jobs = await get(`/v4/bulk/jobs?group_guid=${started.groupGuid}`)
    expect(jobs.body.jobs.map(({ guid }: { guid: string }) => guid)).not.toContain(made.body.guid)
    expect((await get(`/v4/bulk/jobs/${made.body.guid}`)).status).toBe(404)
    expect((await get(`/v4/exports/${jobs.body.jobs[0].guid}`)).status).toBe(404)
    await ended(`/v4/exports/${made.body.guid}`)
  })

  it('has no file before it is done, nor when it was cancelled, and is deleted with its file', async () => {
    const [one, other] = [await exportLinks('?tags=many'), await exportLinks('?tags=many')]
    const path = `/v4/exports/${other.body.guid}`
    const early = await get(`${path}/file`)
    expect([early.status, early.body]).toMatchObject([409, { message: 'CONFLICT', resource: 'exports' }])
    const cancelled = await post(`${path}/cancel`)
    expect([cancelled.status, cancelled.body.state]).toEqual([200, 'cancelled'])
    expect((await get(`${path}/file`)).body.description).toContain('cancelled')
    const again = await post(`${path}/cancel`)
    expect([again.status, again.body]).toMatchObject([409, { message: 'CONFLICT', resource: 'exports' }])
    const done = await ended(`/v4/exports/${one.body.guid}`)
    expect((await started.request('DELETE', `/v4/exports/${done.guid}`)).status).toBe(204)
    expect((await get(`/v4/exports/${done.guid}/file`)).status).toBe(404)
  })

  it('is deleted with its file when a link of its group is forgotten', async () => {
    const files = () =>
      readdirSync(join(started.app.config.dataDir, 'images'), { recursive: true, withFileTypes: true })
    const stored = () => files().filter((file) => file.isFile()).length
    const { body } = await post('/v4/shortlinks', { long_url: 'https://example.com/forgotten' })
    const before = stored()
    const path = `/v4/exports/${(await exportLinks('?tags=a')).body.guid}`
    await ended(path)
    expect(stored()).toBeGreaterThan(before)
    const forget = (dryRun: boolean) => operate(started.app, operator, 'forgetLink', { link: body.id, dryRun })
    await forget(true)
    expect([(await get(path)).status, stored()]).toEqual([200, before + 1])
    await forget(false)
    expect((await get(path)).status).toBe(404)
    expect(stored()).toBeLessThan(before)
  })

  it('may be read by other members, and cancelled and deleted by its maker and those who may change the group', async () => {
    const reader = await aMember(started, started.groupGuid, 'reader')
    const made = await exportLinks('?tags=a')
    const own = await exportLinks('?tags=a', {}, reader)
    const path = `/v4/exports/${made.body.guid}`
    expect((await get(path, reader)).status).toBe(200)
    const remove = (guid: string) => started.request('DELETE', `/v4/exports/${guid}`, { token: reader })
    expect((await remove(made.body.guid)).status).toBe(403)
    expect((await remove(own.body.guid)).status).toBe(204)
    const stranger = await aStranger(started)
    expect((await get(path, stranger.token)).status).toBe(403)
  })
})
