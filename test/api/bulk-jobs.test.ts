import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { revokeApplication } from '../../src/core/accounts/applications.js'
import { newTokenSecret, tokenFrom } from '../../src/core/accounts/secrets.js'
import { anApplication } from '../oauth/people.js'
import { startApp, useApp } from '../support/start-app.js'
import { cell, sheetXml, workbook, zipOf } from '../support/workbooks.js'
import { aMember, aStranger } from './alter-records.js'
import { firstOrganization, organize } from './organize.js'

const started = useApp()
let branded: string
beforeAll(async () => {
  branded = await organize(started).domain('go.example.com', await firstOrganization(started), [started.groupGuid])
})

let numbers = 0
const newUrl = () => `https://example.com/job/${numbers++}`
const send = (body: string | Buffer, query = '', more: { token?: string; type?: string } = {}) =>
  started.request('POST', `/v4/bulk/jobs${query}`, {
    body,
    headers: { 'content-type': more.type ?? 'text/csv' },
    ...(more.token !== undefined && { token: more.token }),
  })
const get = (path: string, token?: string) => started.request('GET', path, token === undefined ? {} : { token })

/** The job when it has ended. */
async function ended(guid: string) {
  for (;;) {
    const { body } = await get(`/v4/bulk/jobs/${guid}`)
    if (body.state !== 'waiting' && body.state !== 'running') return body
    await wait(20)
  }
}
async function run(body: string | Buffer, query = '') {
  const added = await send(body, query)
  expect(added).toMatchObject({ status: 202, body: { state: 'waiting', rows_done: 0 } })
  return ended(added.body.guid)
}
const result = async (guid: string) => (await get(`/v4/bulk/jobs/${guid}/result`)).text.split('\n').slice(0, -1)

describe('POST /v4/bulk/jobs', () => {
  it('creates a link for each row of a CSV file, and gives a result with the error of each wrong row', async () => {
    const urls = Array.from({ length: 250 }, newUrl)
    const lines = urls.map((url, n) => `${url},Title ${n},a;b`)
    lines.splice(120, 0, 'wrong,"=1+1",', `${newUrl()},x,y,z`)
    const job = await run(`long_url,title,tags\n${lines.join('\n')}`, `?name=links.csv&domain=${branded}`)
    expect(job).toMatchObject({
      state: 'done',
      name: 'links.csv',
      rows_total: 252,
      rows_done: 252,
      counts: { created: 250, changed: 0, refused: 2 },
      created_by: 'admin',
      group_guid: started.groupGuid,
    })
    const [header, ...rows] = await result(job.guid)
    expect(header).toBe('long_url,title,tags,link,remark,error')
    expect(rows).toHaveLength(252)
    expect(rows[0]).toMatch(new RegExp(`^${urls[0]},Title 0,a;b,http://go\\.example\\.com:\\d+/\\w{7},,$`))
    expect(rows[120]).toMatch(/^wrong,'=1\+1,,,,"?INVALID_ARG_LONG_URL: /)
    expect(rows[121]).toContain('UNPROCESSABLE_ENTITY: This row has 4 cells')
    const [, , , link = ''] = rows[251]?.split(',') ?? []
    const read = await get(`/v4/shortlinks/${link.replace('http://', '')}`)
    expect(read.body).toMatchObject({ long_url: urls[249], title: 'Title 249', tags: ['a', 'b'] })
  })

  it('sends a result again without doing anything twice', async () => {
    const job = await run(`long_url,keyword\n${newUrl()},\n${newUrl()},job-word\n`)
    const first = await get(`/v4/bulk/jobs/${job.guid}/result`)
    const again = await run(first.text, '?strict=true')
    expect(again.counts).toEqual({ created: 0, changed: 1, refused: 1 })
    expect((await result(again.guid))[0]).toBe('long_url,keyword,link,remark,error')
    const lenient = await run(first.text)
    expect(lenient.counts).toEqual({ created: 1, changed: 1, refused: 0 })
    expect((await result(lenient.guid))[2]).toContain('The back-half ""job-word"" is taken')
  })

  it('gives links the note and the passing on of queries that the file names, also from its result', async () => {
    const job = await run(`long_url,keyword,note,forward_query\n${newUrl()},job-note,"one\ntwo",yes\n`)
    const { text } = await get(`/v4/bulk/jobs/${job.guid}/result`)
    expect(text).toMatch(/^long_url,keyword,note,forward_query,link,remark,error\n.*,job-note,"one\ntwo",yes,http/)
    const again = (await get(`/v4/bulk/jobs/${(await run(text)).guid}/result`)).text
    expect(again).toContain('The back-half ""job-note"" is taken')
    for (const result of [text, again]) {
      const link = /http:\/\/([^,]+),/.exec(result.slice(result.indexOf('yes,')))?.[1]
      const { body } = await get(`/v4/shortlinks/${link}`)
      expect(body).toMatchObject({ note: 'one\ntwo', forward_query: true })
    }
  })

  it('reads what a result guards against spreadsheets as it was', async () => {
    const job = await run(`long_url,keyword,title\n${newUrl()},-dash-${Date.now()},=HYPERLINK()\n${newUrl()},,@acme\n`)
    const sent = await get(`/v4/bulk/jobs/${job.guid}/result`)
    expect(sent.text).toContain(",'=HYPERLINK(),")
    expect((await run(sent.text, '?action=edit')).counts).toEqual({ created: 0, changed: 2, refused: 0 })
    const links = (await result(job.guid)).slice(1).map((line) => /http:\/\/([^,]+)/.exec(line)?.[1])
    const titles = await Promise.all(links.map(async (link) => (await get(`/v4/shortlinks/${link}`)).body.title))
    expect(titles).toEqual(['=HYPERLINK()', '@acme'])
  })

  it('changes the links of a file with action=edit, by the rules of a single edit', async () => {
    const links = (
      await started.request('POST', '/v4/bulk/shorten', {
        body: { links: [0, 1, 2].map(() => ({ long_url: newUrl(), tags: ['x'] })) },
      })
    ).body.results.map(({ link }: { link: { id: string } }) => link.id)
    const stranger = await aStranger(started)
    const foreign = await started.request('POST', '/v4/shorten', {
      body: { long_url: newUrl() },
      token: stranger.token,
    })
    const target = newUrl()
    const file = [
      'link,title,tags,archived,long_url',
      `${links[0]},New title,"a,b",,`,
      `http://${links[1]},,,TRUE,`,
      `${links[2]},,,,${target}`,
      `${foreign.body.id},Mine now,,,`,
      'localhost/nothing,,,true,',
      `${links[0]},,,perhaps,`,
      `${links[0]},,not!a!tag,,`,
    ].join('\n')
    const job = await run(file, '?action=edit')
    expect(job).toMatchObject({ action: 'edit', state: 'done', counts: { created: 0, changed: 3, refused: 4 } })
    expect((await get(`/v4/shortlinks/${links[0]}`)).body).toMatchObject({
      title: 'New title',
      tags: ['a', 'b'],
      archived: false,
    })
    expect((await get(`/v4/shortlinks/${links[1]}`)).body).toMatchObject({ archived: true, tags: ['x'] })
    expect((await get(`/v4/shortlinks/${links[2]}`)).body).toMatchObject({ long_url: target })
    const visit = await started.request('GET', `/${links[2].split('/')[1]}`, { token: null })
    expect(visit.headers.location).toBe(target)
    const errors = (await result(job.guid))
      .slice(4)
      .map((line) => line.split(',').at(-1)?.replace(/^"?/, '').split(':')[0])
    expect(errors.slice(0, 2)).toEqual(['FORBIDDEN', 'NOT_FOUND'])
    expect((await result(job.guid))[6]).toContain('INVALID_ARG_ARCHIVED')
    expect((await result(job.guid))[7]).toContain('INVALID_TAG')
  })

  it('empties the title and the tags of a link whose row says so', async () => {
    const shorten = () =>
      started.request('POST', '/v4/bulk/shorten', {
        body: { links: [{ long_url: newUrl(), title: 'Old', tags: ['x'] }] },
      })
    const ids: string[] = []
    for (const _ of [1, 2, 3, 4, 5]) ids.push((await shorten()).body.results[0].link.id)
    const file = ['link,title,tags,clear', `${ids[0]},,,title`, `${ids[1]},,,Tags; title`, `${ids[2]},,,`]
    const job = await run([...file, `${ids[3]},New,,title`, `${ids[4]},,,long_url`].join('\n'), '?action=edit')
    expect(job.counts).toEqual({ created: 0, changed: 3, refused: 2 })
    const left = await Promise.all(ids.map(async (id) => (await get(`/v4/shortlinks/${id}`)).body))
    expect(left.map(({ title, tags }) => [title ?? '', tags])).toEqual([
      ['', ['x']],
      ['', []],
      ...[2, 3, 4].map(() => ['Old', ['x']]),
    ])
    const rows = await result(job.guid)
    expect(rows[4]).toContain('INVALID_ARG_CLEAR: The row has a new title, and clears it.')
    expect(rows[5]).toContain('Only title and tags can be cleared, not ""long_url"".')
  })

  it('leaves the outcomes of forgotten rows empty in the result, and keeps those of the rows after them', async () => {
    const job = await run(`long_url\n${Array.from({ length: 250 }, newUrl).join('\n')}\n`)
    const whole = await result(job.guid)
    const [, address = ''] = whole[1]?.split(',http://') ?? []
    await started.app.privacy.forgetLink(address.replace(/,.*/, ''), { dryRun: false, at: Date.now() })
    const rest = await result(job.guid)
    expect(rest.slice(1, 101)).toEqual(whole.slice(1, 101).map((line) => line.replace(/,.*/, ',,,')))
    expect(rest.slice(101)).toEqual(whole.slice(101))
  })

  it('reads XLSX workbooks', async () => {
    const url = newUrl()
    const sheet = sheetXml([
      [cell.inline('Long URL'), cell.inline('Title')],
      [cell.inline(url), cell.inline('=1+1')],
      [cell.inline('wrong')],
    ])
    const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
    const { body } = await send(workbook({ sheet, texts: [] }), '', { type })
    const job = await ended(body.guid)
    expect(job).toMatchObject({ state: 'done', rows_total: 2, counts: { created: 1, refused: 1 } })
    expect((await result(job.guid))[1]).toMatch(new RegExp(`^${url},'=1\\+1,http://`))
    expect(await run(zipOf({ 'a.txt': 'a' }))).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/no XLSX workbook/),
    })
  })

  it('changes nothing if the file cannot be read to its end, and says why', async () => {
    const [long_url] = [newUrl()]
    const job = await run(`long_url\n${long_url}\n"${newUrl()}\n`)
    expect(job).toMatchObject({
      state: 'failed',
      rows_done: 0,
      error: expect.stringMatching(/^Line 3: A quote begins here/),
    })
    const [header, first, ...rest] = await result(job.guid)
    expect([header, first]).toEqual(['long_url,link,remark,error', `${long_url},,,`])
    expect(rest).toEqual([expect.stringMatching(/^,,,"?Line 3: A quote begins here/)])
    const known = await started.request('POST', '/v4/shorten', { body: { long_url } })
    expect(known.status).toBe(201)
    expect(await run('url\nhttps://example.com/\n')).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/no column "long_url"/),
    })
    expect(await run('title\nx\n', '?action=edit')).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/no column "link"/),
    })
  })

  it('refuses readers and strangers, and what is no file', async () => {
    const stranger = await aStranger(started)
    const reader = await aMember(started, started.groupGuid, 'reader')
    expect((await send('long_url\n', '', { token: reader })).status).toBe(403)
    expect((await send('long_url\n', `?group_guid=${stranger.groupGuid}`)).status).toBe(403)
    expect((await send('', '')).status).toBe(422)
    expect((await send('x', '', { type: 'text/plain' })).status).toBe(415)
    expect((await send('x', '?action=destroy')).status).toBe(400)
    expect(await send(Buffer.alloc(101 * 1024 * 1024, 'a'))).toMatchObject({
      status: 413,
      body: { message: 'PAYLOAD_TOO_LARGE' },
    })
  })

  it.each([
    ['name', '%00x'],
    ['name', 'a%0Ab.csv'],
    ['name', '%20'],
    ['domain', '%00'],
    ['domain', 'a%20b'],
  ])('answers 400 for the %s %j', async (field, value) => {
    const { status, body } = await send('long_url\n', `?${field}=${value}`)
    expect([status, body.message, body.resource]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`, 'bulk_jobs'])
  })

  it('runs one job of an organization after the other', async () => {
    const file = () => `long_url\n${Array.from({ length: 300 }, newUrl).join('\n')}\n`
    const added = await Promise.all([send(file()), send(file()), send(file())])
    const guids = added.map(({ body }) => body.guid)
    const most = { running: 0 }
    const watch = async () => {
      // In one request: between several of them, one job may end and the next one begin.
      const { body } = await get(`/v4/bulk/jobs?group_guid=${started.groupGuid}`)
      const states = (body.jobs as { guid: string; state: string }[])
        .filter(({ guid }) => guids.includes(guid))
        .map(({ state }) => state)
      most.running = Math.max(most.running, states.filter((state) => state === 'running').length)
      return states.every((state) => state === 'done')
    }
    while (!(await watch())) await wait(5)
    expect(most.running).toBeLessThanOrEqual(1)
  })
})

/** A small file that unpacks to this many MB, and claims not to. */
const workbookOf = (part: string, megabytes: number, xml: string) =>
  zipOf({ 'xl/workbook.xml': '<workbook/>', [part]: Buffer.alloc(megabytes * 1_000_000, xml) }, 1)
const manyTexts = () => workbookOf('xl/sharedStrings.xml', 55, '<si><t/></si>')

// They take seconds to read, and longer beside other tests.
describe('a workbook that unpacks to very much', { timeout: 180_000 }, () => {
  it.each([
    ['texts', manyTexts, /more than 4000000 texts. Save it as CSV./],
    [
      'empty rows',
      () => workbookOf('xl/worksheets/sheet1.xml', 35, '<row><c/><c/><c/><c/></row>'),
      /more than 1048576 rows. Save it as CSV, or split it./,
    ],
  ])('of %s fails its job alone: meanwhile others are served, and their jobs done', async (_, file, reason) => {
    const stranger = await aStranger(started)
    const hostile = (await send(file())).body.guid
    const next = (await send(`long_url\n${newUrl()}\n`)).body.guid
    const theirs = (await send(`long_url\n${newUrl()}\n`, '', { token: stranger.token })).body.guid
    const failed = await ended(hostile)
    expect(failed).toMatchObject({ state: 'failed', rows_done: 0, error: expect.stringMatching(reason) })
    expect(await ended(next)).toMatchObject({ state: 'done' })
    const times = async (guid: string) => {
      const { startedAt = 0, finishedAt = 0 } = (await started.app.bulkJobs.find(guid)) ?? {}
      return { startedAt, finishedAt }
    }
    const [first, second, other] = await Promise.all([hostile, next, theirs].map(times))
    expect(other?.finishedAt).toBeGreaterThan(0)
    expect(other?.finishedAt).toBeLessThan(first?.finishedAt ?? 0)
    expect(second?.startedAt).toBeGreaterThanOrEqual(first?.finishedAt ?? 0)
  })

  it('does not delay the end of the service; after the next start its job goes on', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-jobs-'))
    const headers = { 'content-type': 'application/octet-stream' }
    const body = manyTexts()
    const first = await startApp({ dataDir, databaseUrl: undefined })
    const { guid } = (await first.request('POST', '/v4/bulk/jobs', { body, headers })).body
    while ((await first.app.bulkJobs.find(guid))?.state !== 'running') await wait(5)
    await first.close()
    const second = await startApp({ dataDir, databaseUrl: undefined })
    const read = async () => (await second.request('GET', `/v4/bulk/jobs/${guid}`)).body
    // Had the end waited for the file to be read, the job would have failed before.
    expect(await read()).toMatchObject({ state: 'running' })
    while ((await read()).state === 'running') await wait(20)
    expect(await read()).toMatchObject({ state: 'failed', error: expect.stringMatching(/Save it as CSV/) })
    await second.close()
    rmSync(dataDir, { recursive: true })
  })
})

describe('a file with tags to add and to remove', () => {
  it('changes the tags that each link has', async () => {
    const make = async (tags: string[]) =>
      (await started.request('POST', '/v4/shortlinks', { body: { long_url: newUrl(), tags } })).body.id
    const [one, two] = [await make(['a', 'b']), await make(['b'])]
    const file = `link,add_tags,remove_tags,tags\n${one},c;b,a;b,\n${two},,b,\n${two},c,,d\n`
    const job = await run(file, '?action=edit')
    expect(job.counts).toEqual({ created: 0, changed: 2, refused: 1 })
    expect((await get(`/v4/shortlinks/${one}`)).body.tags.toSorted()).toEqual(['b', 'c'])
    expect((await get(`/v4/shortlinks/${two}`)).body.tags).toEqual([])
    expect((await result(job.guid))[3]).toContain('The row has new tags, and adds or removes some.')
  })
})

describe('POST /v4/groups/{group_guid}/shortlinks/jobs', () => {
  const path = (query: string) => `/v4/groups/${started.groupGuid}/shortlinks/jobs?${query}`
  const ask = (query: string, body: object, token?: string) =>
    started.request('POST', path(query), {
      body: { max_links: 2000, ...body },
      ...(token !== undefined && { token }),
    })
  const change = async (query: string, body: object) => {
    const added = await ask(query, body)
    expect(added).toMatchObject({ status: 202, body: { state: 'waiting', rows_done: 0 } })
    return ended(added.body.guid)
  }
  /** Ids, newest first. */
  const list = async (query: string): Promise<string[]> => {
    const { body } = await get(`/v4/groups/${started.groupGuid}/shortlinks?size=100&${query}`)
    return body.links.map(({ id }: { id: string }) => id)
  }
  const make = async (count: number, tag: string): Promise<string[]> => {
    const links = Array.from({ length: count }, () => ({ long_url: newUrl(), tags: [tag] }))
    const { body } = await started.request('POST', '/v4/bulk/shorten', { body: { links } })
    return body.results.map(({ link }: { link: { id: string } }) => link.id)
  }

  it('changes all links that match, and no others', async () => {
    const ids = await make(501, 'many')
    const others = await make(2, 'few')
    const tagged = await change('tags=many', {
      action: 'edit_tags',
      add_tags: ['more', '-dash'],
      remove_tags: ['many'],
      name: 'Many',
    })
    expect(tagged).toMatchObject({
      state: 'done',
      action: 'edit',
      name: 'Many',
      rows_total: 501,
      counts: { created: 0, changed: 501, refused: 0 },
    })
    expect(await list('tags=many')).toEqual([])
    expect((await get(`/v4/shortlinks/${ids[500]}`)).body.tags.toSorted()).toEqual(['-dash', 'more'])
    expect((await get(`/v4/shortlinks/${others[0]}`)).body.tags).toEqual(['few'])

    const archived = await change('tags=more', { action: 'archive', archive: true })
    expect(archived).toMatchObject({ state: 'done', rows_total: 501, counts: { changed: 501 } })
    expect(await list('tags=more')).toEqual([])
    expect(await list('tags=few')).toHaveLength(2)
    // As in the list, archived links match when they are asked for.
    const restore = { action: 'archive', archive: false }
    await started.request('PATCH', `/v4/shortlinks/${ids[0]}`, { body: { tags: ['more', 'one'] } })
    expect(await change('tags=one', restore)).toMatchObject({ rows_total: 0 })
    expect(await change('tags=one&archived=on', restore)).toMatchObject({ rows_total: 1, counts: { changed: 1 } })
    expect(await list('tags=more')).toEqual([ids[0]])
  })

  it('deletes those that may be deleted, and says why others stay', async () => {
    const [kept, ...ids] = await make(3, 'old')
    await started.request('PATCH', `/v4/shortlinks/${kept}`, { body: { long_url: newUrl() } })
    const job = await change('tags=old', { action: 'delete' })
    expect(job).toMatchObject({ state: 'done', action: 'delete', counts: { created: 0, changed: 2, refused: 1 } })
    expect(await list('tags=old')).toEqual([kept])
    for (const id of ids) expect((await get(`/v4/shortlinks/${id}`)).status).toBe(410)
    expect(await result(job.guid)).toContainEqual(
      expect.stringMatching(`^${kept},,.*BAD_REQUEST: Only a short link that`),
    )
  })

  it('does nothing when more links match than expected', async () => {
    const ids = await make(3, 'three')
    const refused = await ask('tags=three', { action: 'delete', max_links: 2 })
    expect(refused).toMatchObject({ status: 409, body: { message: 'CONFLICT', resource: 'shortlinks' } })
    expect(await list('tags=three')).toHaveLength(3)
    expect((await ask('tags=three', { action: 'delete', max_links: 3 })).status).toBe(202)
    await expect.poll(() => list('tags=three')).toEqual([])
    expect(ids).toHaveLength(3)
  })

  it.each([
    ['an action that is not one', { action: 'shuffle' }],
    ['no tags', { action: 'edit_tags' }],
    ['a wrong tag', { action: 'edit_tags', add_tags: ['not a tag'] }],
    ['neither archiving nor restoring', { action: 'archive' }],
    ['no number of links', { action: 'delete', max_links: undefined }],
    ['too many links', { action: 'delete', max_links: 1_000_001 }],
  ])('answers 400 for %s', async (_, body) => {
    expect((await ask('tags=none', body)).status).toBe(400)
  })

  it('is for writers of the group', async () => {
    const reader = await aMember(started, started.groupGuid, 'reader')
    expect((await ask('tags=none', { action: 'delete' }, reader)).status).toBe(403)
    const stranger = await aStranger(started)
    expect((await ask('tags=none', { action: 'delete' }, stranger.token)).status).toBe(403)
    const nothing = await change('tags=none', { action: 'delete' })
    expect(nothing).toMatchObject({ state: 'done', rows_total: 0 })
  })
})

describe('GET /v4/bulk/jobs', () => {
  it('lists the jobs of a group, newest first, to its members', async () => {
    const job = await run(`long_url\n${newUrl()}\n`)
    const page = await get('/v4/bulk/jobs?size=2')
    expect(page).toMatchObject({ status: 200, body: { jobs: [{ guid: job.guid }, {}] } })
    const next = await get(`/v4/bulk/jobs?size=2&search_after=${page.body.pagination.search_after}`)
    expect(next.body.jobs[0].guid).not.toBe(page.body.jobs[1].guid)
    const stranger = await aStranger(started)
    expect((await get(`/v4/bulk/jobs?group_guid=${started.groupGuid}`, stranger.token)).status).toBe(403)
    expect((await get('/v4/bulk/jobs?search_after=x')).status).toBe(400)
    expect((await get(`/v4/bulk/jobs/${job.guid}`, stranger.token)).status).toBe(403)
    expect((await get(`/v4/bulk/jobs/${job.guid}/result`, stranger.token)).status).toBe(403)
    expect((await get('/v4/bulk/jobs/Junknown')).status).toBe(404)
    expect((await get('/v4/bulk/jobs/Junknown/result')).status).toBe(404)
  })
})

describe('a job that an application added', () => {
  it('ends when the application is revoked; what is done stays done', async () => {
    const { clientId } = await anApplication(started)
    const token = newTokenSecret()
    await started.app.accounts.addToken({ ...tokenFrom(token), login: 'admin', label: '', clientId, at: 1 })
    const rows = Array.from({ length: 5000 }, newUrl)
    const { body } = await send(['long_url', ...rows].join('\n'), '', { token })
    await revokeApplication(started.app, operator, { clientId })
    const job = await ended(body.guid)
    expect(job).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(
        /^The application that created the job is no longer authorized. Rows that are done stay done/,
      ),
    })
    expect(job.rows_done).toBeLessThan(rows.length)
  })
})

describe('POST /v4/bulk/jobs/{job_guid}/cancel and DELETE /v4/bulk/jobs/{job_guid}', () => {
  it('stop a job; what is done stays done', async () => {
    const urls = Array.from({ length: 3000 }, newUrl)
    const { body } = await send(`long_url\n${urls.join('\n')}\n`)
    const cancelled = await started.request('POST', `/v4/bulk/jobs/${body.guid}/cancel`)
    expect(cancelled).toMatchObject({ status: 200, body: { state: 'cancelled' } })
    await wait(50)
    const job = (await get(`/v4/bulk/jobs/${body.guid}`)).body
    expect(job.rows_done).toBeLessThan(3000)
    const rows = await result(job.guid)
    expect(rows).toHaveLength(3001)
    expect(rows.filter((row) => /,http/.test(row))).toHaveLength(job.rows_done)
    expect((await started.request('POST', `/v4/bulk/jobs/${body.guid}/cancel`)).status).toBe(409)
    const reader = await aMember(started, started.groupGuid, 'reader')
    expect((await started.request('DELETE', `/v4/bulk/jobs/${body.guid}`, { token: reader })).status).toBe(403)
    expect((await started.request('POST', `/v4/bulk/jobs/${body.guid}/cancel`, { token: reader })).status).toBe(403)
    expect((await started.request('DELETE', `/v4/bulk/jobs/${body.guid}`)).status).toBe(204)
    expect((await get(`/v4/bulk/jobs/${body.guid}`)).status).toBe(404)
    expect((await started.request('DELETE', `/v4/bulk/jobs/${body.guid}`)).status).toBe(404)
    expect((await started.request('POST', `/v4/bulk/jobs/${body.guid}/cancel`)).status).toBe(404)
  })
})
