import { describe, expect, it } from 'vitest'
import type { Click } from '../clicks/click.js'
import { aClick } from '../clicks/click-log.contract.js'
import { DomainNames } from '../domains/domains.js'
import { clickMessage, linkMessage } from './messages.js'
import type { DescribedLink } from './stream-store.js'

const facts = { login: 'ada', createdAt: 1_700_000_000_999, globalHash: 'sho.rt/global1' }
const names = new DomainNames([{ key: 'old.rt', name: 'new.rt', formerNames: ['old.rt'], position: 0 }])
const read = (click: Click, organizationGuid: string, about: typeof facts | undefined) =>
  JSON.parse(String(clickMessage(click, organizationGuid, about, names)))

describe('a click as a message', () => {
  it('has the keys of public feeds: who made the link, its hashes, and when', () => {
    const click = aClick({ address: 'sho.rt/abc1234', linkId: 'sho.rt/abc1234', at: 1_700_000_500_400 })
    expect(read(click, 'O1', facts)).toMatchObject({
      hh: 'sho.rt',
      h: 'abc1234',
      g: 'global1',
      l: 'ada',
      t: 1_700_000_500,
      hc: 1_700_000_000,
      event_id: click.eventId,
      at: '2023-11-14T22:21:40.400Z',
      organization_guid: 'O1',
    })
  })

  it('names the hash and the keyword where a keyword was clicked', () => {
    const click = aClick({ address: 'go.example.com/sale', linkId: 'sho.rt/abc1234' })
    expect(read(click, 'O1', facts)).toMatchObject({ hh: 'go.example.com', h: 'abc1234', kw: 'sale' })
  })

  it('tells addresses by the name that the domain has now', () => {
    const click = aClick({ address: 'old.rt/sale', linkId: 'old.rt/abc1234' })
    expect(read(click, 'O1', facts)).toMatchObject({ hh: 'new.rt', kw: 'sale', link: 'new.rt/abc1234' })
  })

  it('leaves out what is unknown, but for the keys that were always there', () => {
    const click = aClick({ country: '', region: '', city: '', language: '', os: '', browser: '', groupGuid: '' })
    const message = read(click, '', undefined)
    expect(message).toMatchObject({ c: null, tz: '', l: '', g: message.h })
    for (const key of ['gr', 'cy', 'al', 'hc', 'kw', 'os', 'browser', 'group_guid', 'organization_guid']) {
      expect(message).not.toHaveProperty(key)
    }
  })

  it('tells of a global hash, which nobody owns', () => {
    const click = aClick({ address: 'sho.rt/global1', linkId: '', groupGuid: '' })
    const message = read(click, '', { ...facts, login: '' })
    expect(message).toMatchObject({ h: 'global1', g: 'global1', l: '' })
    expect(message).not.toHaveProperty('link')
    expect(message).not.toHaveProperty('kw')
  })

  it('passes on what the browser has said, in any writing', () => {
    const click = aClick({ userAgent: 'Ünïcode/1.0 "quoted" \u2028', language: 'de-DE,de;q=0.9' })
    expect(read(click, 'O1', facts)).toMatchObject({ a: 'Ünïcode/1.0 "quoted" \u2028', al: 'de-DE,de;q=0.9' })
  })
})

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
const readLink = (told: DescribedLink, organizationGuid: string) =>
  JSON.parse(String(linkMessage(told, organizationGuid, names)))

describe('a link as a message', () => {
  it('has the keys it shares with clicks, and leaves out what is unknown', () => {
    expect(readLink(link, 'O1')).toEqual({
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
    expect(readLink({ ...link, id: 'old.rt/abc1234' }, 'O1')).toMatchObject({
      hh: 'new.rt',
      link: 'new.rt/abc1234',
      event_id: 'link/old.rt/abc1234',
    })
  })

  it('names its keyword, its global hash and the application that made it', () => {
    const more = { keyword: 'go.example.com/sale', globalHash: 'sho.rt/global1', clientId: 'client' }
    expect(readLink({ ...link, ...more }, 'O1')).toMatchObject({ kw: 'sale', g: 'global1', client_id: 'client' })
  })
})
