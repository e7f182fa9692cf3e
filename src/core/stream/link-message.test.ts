import { describe, expect, it } from 'vitest'
import { linkMessage } from './link-message.js'
import type { DescribedLink } from './new-link-store.js'

const link: DescribedLink = {
  id: 'sho.rt/abc1234',
  createdAt: 1_700_000_000_999,
  groupGuid: 'B1',
  longUrl: 'https://example.com/ü?a="b"',
  createdBy: 'ada',
  clientId: undefined,
  keyword: undefined,
  globalHash: undefined,
}
const read = (...given: Parameters<typeof linkMessage>) => JSON.parse(String(linkMessage(...given)))

describe('a link as a message', () => {
  it('has the keys it shares with clicks, and leaves out what is unknown', () => {
    expect(read(link, 'O1')).toEqual({
      g: 'abc1234',
      h: 'abc1234',
      l: 'ada',
      hh: 'sho.rt',
      u: 'https://example.com/ü?a="b"',
      t: 1_700_000_000,
      hc: 1_700_000_000,
      event_id: 'link/sho.rt/abc1234',
      at: '2023-11-14T22:13:20.999Z',
      kind: 'link',
      link: 'sho.rt/abc1234',
      group_guid: 'B1',
      organization_guid: 'O1',
    })
  })

  it('names its keyword, its global hash and the application that made it', () => {
    const more = { keyword: 'go.example.com/sale', globalHash: 'sho.rt/global1', clientId: 'client' }
    expect(read({ ...link, ...more }, 'O1')).toMatchObject({ kw: 'sale', g: 'global1', client_id: 'client' })
  })
})
