import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'

const started = useApp()

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

  it('has the same limits in the filter of an export', async () => {
    for (const query of ['x'.repeat(65), 'x'.repeat(50_001)]) {
      const body = { export_type: 'links_list', filter: { query } }
      const answer = await started.request('POST', `/v4/groups/${started.groupGuid}/exports`, { body })
      expect([answer.status, answer.body.message]).toEqual([400, 'INVALID_ARG_QUERY'])
    }
  })
})
