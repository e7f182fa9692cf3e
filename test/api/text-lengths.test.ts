import { describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'

/** `maxLength` in the OpenAPI document counts characters: an emoji is one, although JavaScript counts two. */
describe('lengths are counted in characters', () => {
  const started = useApp()

  const emojis = (count: number) => '😀'.repeat(count)
  const group = () => ({ group_guid: started.groupGuid })

  it.each([
    ['a name', 255, 'POST', () => '/v4/campaigns', (name: string) => ({ ...group(), name })],
    [
      'a description',
      2000,
      'POST',
      () => '/v4/campaigns',
      (description: string) => ({ ...group(), name: 'Campaign', description }),
    ],
    ['a title', 2048, 'POST', () => '/v4/shortlinks', (title: string) => ({ long_url: 'https://example.com/', title })],
    [
      'a path inside an application',
      2048,
      'POST',
      () => '/v4/shortlinks',
      (app_uri_path: string) => ({ long_url: 'https://example.com/', deeplinks: [{ os: 'ios', app_uri_path }] }),
    ],
    [
      'a query of an export',
      2000,
      'POST',
      () => `/v4/groups/${started.groupGuid}/exports`,
      // Ten words and spaces.
      (query: string) => ({
        export_type: 'links_list',
        filter: { query: `${query.slice(0, 128)}${' '.repeat([...query].length - 64)}` },
      }),
    ],
  ])('%s has at most %i', async (_, most, method, path, body) => {
    const ask = async (count: number) => (await started.request(method, path(), { body: body(emojis(count)) })).status
    expect(await ask(most)).toBeLessThan(300)
    expect(await ask(most + 1)).toBe(400)
  })

  it('a label of a token has at most 255', async () => {
    const { tokens } = (await started.request('GET', '/v4/user/tokens')).body
    const ask = async (count: number) =>
      (await started.request('PATCH', `/v4/user/tokens/${tokens[0].guid}`, { body: { label: emojis(count) } })).status
    expect([await ask(255), await ask(256)]).toEqual([200, 400])
  })

  it('a search word has at most 64, a query 2000, a destination filter 2048', async () => {
    const ask = async (name: string, text: string) => {
      const query = new URLSearchParams({ [name]: text })
      return (await started.request('GET', `/v4/groups/${started.groupGuid}/shortlinks?${query}`)).status
    }
    expect([await ask('query', emojis(64)), await ask('query', emojis(65))]).toEqual([200, 400])
    const padded = (spaces: number) => emojis(64) + ' '.repeat(spaces)
    expect([await ask('query', padded(1936)), await ask('query', padded(1937))]).toEqual([200, 400])
    const place = (count: number) => `/${'a'.repeat(count - 65)}${emojis(64)}`
    expect([await ask('hostname_path_query', place(2048)), await ask('hostname_path_query', place(2049))]).toEqual([
      200, 400,
    ])
  })
})
