import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../support/start-app.js'

let started: StartedApp
beforeAll(async () => {
  started = await startApp()
})
afterAll(() => started.close())

const list = (query: string) =>
  started.request('GET', `/v4/groups/${started.groupGuid}/shortlinks?archived=both&${query}`)
const create = async (body: object): Promise<string> =>
  (await started.request('POST', '/v4/shortlinks', { body })).body.id

describe('query', () => {
  const ids: Record<string, string> = {}
  beforeAll(async () => {
    ids.title = await create({ long_url: 'https://example.com/1', title: 'Alte BÜCHER' })
    ids.apart = await create({ long_url: 'https://example.com/2', title: 'Bu\u0308cher' })
    ids.path = await create({ long_url: 'https://example.com/laden/bücher' })
    ids.host = await create({ long_url: 'https://bücher.example/' })
    await create({ long_url: 'https://example.com/3', title: 'Bucher' })
  })

  it.each(['bücher', 'BÜCHER', 'bu\u0308cher', 'BU\u0308CHER'])('%s finds titles, paths and hosts', async (word) => {
    const { status, body } = await list(`query=${encodeURIComponent(word)}`)
    expect(status).toBe(200)
    const found = body.links.map(({ id }: { id: string }) => id).sort()
    expect(found).toEqual([ids.title, ids.apart, ids.path, ids.host].sort())
  })

  it('has words of at most 64 characters, and at most ten: else 400', async () => {
    expect((await list(`query=${'x'.repeat(64)}`)).status).toBe(200)
    for (const query of ['x'.repeat(65), 'x'.repeat(10_000), '1+2+3+4+5+6+7+8+9+10+11']) {
      const { status, body } = await list(`query=${query}`)
      expect([status, body.message]).toEqual([400, 'INVALID_ARG_QUERY'])
    }
    expect((await list(`hostname_path_query=${'x'.repeat(2049)}`)).status).toBe(400)
  })

  it('is as long in the filter of an export', async () => {
    for (const query of ['x'.repeat(65), 'x'.repeat(50_001)]) {
      const body = { export_type: 'links_list', filter: { query } }
      const answer = await started.request('POST', `/v4/groups/${started.groupGuid}/exports`, { body })
      expect([answer.status, answer.body.message]).toEqual([400, 'INVALID_ARG_QUERY'])
    }
  })
})

/** The worst that a caller can ask of many links. Whatever takes the event loop takes it from redirects. */
describe('what takes long', () => {
  const many = 2000
  let group: string
  beforeAll(async () => {
    group = `/v4/groups/${started.groupGuid}`
    const long = 'a'.repeat(1900)
    for (let from = 0; from < many; from += 100) {
      const some = Array.from({ length: 100 }, (_, each) => `https://example.com/${long}/${from + each}`)
      await Promise.all(some.map((long_url) => started.request('POST', '/v4/shorten', { body: { long_url } })))
    }
    await list('size=1')
  }, 120_000)

  /**
   * The most turns that the event loop makes until the answer is there, of some tries: a statement on this thread leaves a
   * handful each time, one elsewhere does so only when this thread had to wait for a processor.
   */
  async function mostTurnsDuring(work: () => Promise<{ readonly status: number }>): Promise<number> {
    let most = 0
    for (let tries = 0; tries < 10 && most <= plenty; tries++) most = Math.max(most, await turnsDuring(work))
    return most
  }

  async function turnsDuring(work: () => Promise<{ readonly status: number }>): Promise<number> {
    let turns = 0
    let timer: NodeJS.Immediate
    const turn = () => {
      turns += 1
      timer = setImmediate(turn)
    }
    timer = setImmediate(turn)
    const { status } = await work()
    clearImmediate(timer)
    expect(status).toBe(200)
    return turns
  }

  const almost = `${'a'.repeat(63)}b`
  const growing = Array.from({ length: 9 }, (_, at) => 'a'.repeat(55 + at)).join('+')
  // Statements on this thread would leave a handful of turns: those of the request and its answer.
  const plenty = 100
  it.each([
    ['a long word', `shortlinks?query=${almost}`],
    ['ten long words', `shortlinks?query=${growing}+${almost}`],
    ['a word beyond ASCII', `shortlinks?query=${encodeURIComponent('日本')}`],
    ['a long destination', `shortlinks?hostname_path_query=example.com/${'a'.repeat(1890)}b`],
    ['a hundred tags', `shortlinks?${Array.from({ length: 100 }, (_, at) => `tags=t${at}`).join('&')}`],
    ['filters that nothing fits', 'shortlinks?deeplinks=on&custom_shortlink=on&has_dynamic_routing=on'],
    ['a page of a hundred', 'shortlinks?size=100'],
  ])('%s leaves the event loop to others', async (_, what) => {
    expect(await mostTurnsDuring(() => started.request('GET', `${group}/${what}`))).toBeGreaterThan(plenty)
  })

  it.each([
    ['of everything', {}],
    ['of what a long word finds', { query: almost }],
    ['of what a word beyond ASCII finds', { query: '日本' }],
  ])('an export %s leaves the event loop to others', async (_, filter) => {
    const body = { export_type: 'links_list', filter }
    const turns = await mostTurnsDuring(() => started.request('POST', `${group}/exports`, { body }))
    expect(turns).toBeGreaterThan(plenty)
  })
})
