import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../../support/start-app.js'
import { visit } from '../visits.js'
import { asking } from './ask.js'

describe('v3 and v4 work on the same data', () => {
  const started = useApp()
  let v3: ReturnType<typeof asking>
  beforeAll(async () => {
    v3 = asking(started)
  })

  const idOf = (link: string) => link.slice('http://'.length)
  const v4 = async (method: string, path: string, body?: object) =>
    (await started.request(method, `/v4/${path}`, body && { body })).body

  async function exported(id: string): Promise<string | undefined> {
    const input = { export_type: 'links_list', filter: {} }
    const { data_uri: uri } = await v4('POST', `groups/${started.groupGuid}/exports`, input)
    const csv = Buffer.from(uri.slice(uri.indexOf(',') + 1), 'base64').toString()
    return csv.split('\n').find((line) => line.startsWith(`${id},`))
  }

  it('a link made by v3 is read, edited, counted and exported by v4', async () => {
    const longUrl = 'https://example.com/made-by-v3'
    const details = { title: 'From v3', note: 'A note', private: 'true', user_ts: '1000000' }
    const { link_save: saved } = await v3.data('user/link_save', { longUrl, ...details })
    const id = idOf(saved.link)
    expect(await v4('GET', `shortlinks/${id}`)).toMatchObject({ id, long_url: longUrl, title: 'From v3', tags: [] })

    const elsewhere = 'https://example.com/led-elsewhere'
    await v4('PATCH', `shortlinks/${id}`, { title: 'From v4', tags: ['seen'], long_url: elsewhere })
    const { link_history: entries } = await v3.data('user/link_history', { link: saved.link })
    const kept = { note: 'A note', private: true, user_ts: 1_000_000 }
    expect(entries[0]).toMatchObject({ title: 'From v4', tags: ['seen'], long_url: elsewhere, ...kept })
    const { expand } = await v3.data('expand', { shortUrl: saved.link })
    expect(expand[0].long_url).toBe(elsewhere)
    expect(expand[0].global_hash).not.toBe(saved.aggregate_link.split('/').at(-1))

    await visit(started, id)
    await visit(started, id)
    await started.clicksCounted()
    expect(await v4('GET', `shortlinks/${id}/clicks/summary`)).toMatchObject({ total_clicks: 2 })
    expect(await v3.data('link/clicks', { link: saved.link })).toMatchObject({ link_clicks: 2 })
    expect(await exported(id)).toContain('From v4')

    await v4('PATCH', `shortlinks/${id}`, { archived: true })
    expect((await v3.data('user/link_history', { query: 'From v4' })).link_history).toEqual([])
    expect((await v3.data('user/link_history', { archived: 'on' })).link_history[0].link).toBe(saved.link)
  })

  it('a link made by v4 is read, edited, counted and looked up by v3', async () => {
    const longUrl = 'https://example.com/made-by-v4'
    const made = await v4('POST', 'shortlinks', { long_url: longUrl, title: 'From v4', keyword: 'made-by-v4' })
    const keyword = `http://${started.domain}/made-by-v4`
    const { info } = await v3.data('info', { shortUrl: [made.link, keyword] })
    for (const item of info) expect(item).toMatchObject({ title: 'From v4', created_by: 'admin' })
    expect(info[0].user_hash).toBe(info[1].user_hash)

    await v3.data('user/link_edit', { link: keyword, edit: 'title,archived', title: 'From v3', archived: 'true' })
    expect(await v4('GET', `shortlinks/${made.id}`)).toMatchObject({ title: 'From v3', archived: true })
    expect(await exported(made.id)).toBeUndefined()
    await v3.data('user/link_edit', { link: made.link, edit: 'archived', archived: 'false' })
    expect(await exported(made.id)).toContain('From v3')

    await visit(started, made.id)
    await visit(started, idOf(keyword))
    await visit(started, idOf(keyword))
    await started.clicksCounted()
    const clicksOf = async (link: string) => (await v3.data('link/clicks', { link })).link_clicks
    const { link_lookup: found } = await v3.data('user/link_lookup', { url: longUrl })
    expect(found[0].link).toBe(made.link)
    // Clicks are counted by the address used; the total of the page is the sum.
    expect([await clicksOf(made.link), await clicksOf(keyword)]).toEqual([1, 2])
    expect(await clicksOf(found[0].aggregate_link)).toBe(3)
  })

  it("v3 and v4 find each other's links by long URL", async () => {
    const [one, two] = ['https://example.com/one', 'https://example.com/two']
    const made = await v4('POST', 'shorten', { long_url: one })
    expect(await v3.data('shorten', { longUrl: one })).toMatchObject({ new_hash: 0, url: made.link })
    const { url } = await v3.data('shorten', { longUrl: two })
    expect(await v4('POST', 'shorten', { long_url: two })).toMatchObject({ link: url })
  })

  it('a link deleted by v4 does not exist in v3, nor does its long URL', async () => {
    const url = 'https://example.com/deleted'
    const made = await v4('POST', 'shorten', { long_url: url })
    expect((await v3.data('link/lookup', { url })).link_lookup[0].error).toBeUndefined()
    await v4('DELETE', `shortlinks/${made.id}`)
    expect((await v3.data('link/lookup', { url })).link_lookup[0].error).toBe('NOT_FOUND')
    expect((await v3.data('user/link_lookup', { url })).link_lookup[0].error).toBe('NOT_FOUND')
    expect(await v3.refusal('link/clicks', { link: made.link })).toBe('200 404 NOT_FOUND')
  })
})
