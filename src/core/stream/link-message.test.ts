import { describe, expect, it } from 'vitest'
import { DomainNames } from '../domains/domain-names.js'
import { linkMessage } from './link-message.js'
import type { DescribedLink } from './stream-store.js'

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
const names = new DomainNames([{ key: 'old.rt', name: 'new.rt', formerNames: ['old.rt'], position: 0 }])
const read = (told: DescribedLink, organizationGuid: string) =>
  JSON.parse(String(linkMessage(told, organizationGuid, names)))

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

  it('is told by the name that the domain has now, and is the same event as before', () => {
    expect(read({ ...link, id: 'old.rt/abc1234' }, 'O1')).toMatchObject({
      hh: 'new.rt',
      link: 'new.rt/abc1234',
      event_id: 'link/old.rt/abc1234',
    })
  })

  it('names its keyword, its global hash and the application that made it', () => {
    const more = { keyword: 'go.example.com/sale', globalHash: 'sho.rt/global1', clientId: 'client' }
    expect(read({ ...link, ...more }, 'O1')).toMatchObject({ kw: 'sale', g: 'global1', client_id: 'client' })
  })
})
