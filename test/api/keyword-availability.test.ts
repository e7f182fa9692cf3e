import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { aMember } from './alter-records.js'
import { firstOrganization, organize } from './organize.js'

const branded = 'go.brand.example'
const started = useApp()
let otherGroup: string
beforeAll(async () => {
  const at = organize(started)
  otherGroup = await at.group()
  await at.domain(branded, await firstOrganization(started), [started.groupGuid, otherGroup])
})

const ask = (keyword: string, more = '', groupGuid = started.groupGuid) =>
  started.request('GET', `/v4/groups/${groupGuid}/keyword_availability?keyword=${encodeURIComponent(keyword)}${more}`)
const aLink = async (body: object) =>
  (await started.request('POST', '/v4/shortlinks', { body: { long_url: 'https://example.com/taken', ...body } })).body

describe('GET /v4/groups/{group_guid}/keyword_availability', () => {
  it('answers 200: a back-half that nobody has is free, on the preferred domain', async () => {
    const { status, body } = await ask('spring')
    expect(status).toBe(200)
    expect(body).toEqual({ domain: started.domain, keyword: 'spring', available: true })
  })

  it('names the link of the group that has it', async () => {
    const { id } = await aLink({ keyword: 'mine', domain: branded })
    const answer = { domain: branded, keyword: 'mine', available: false, reason: 'held_by_group', shortlink_id: id }
    expect((await ask('mine', `&domain=${branded}`)).body).toEqual(answer)
    expect((await ask('Mine', `&domain=${branded}`)).body.available).toBe(true)
    expect((await ask('mine')).body).toEqual({ domain: started.domain, keyword: 'mine', available: true })
  })

  it('does not name the link of another group', async () => {
    await aLink({ keyword: 'theirs', domain: branded, group_guid: otherGroup })
    const { body } = await ask('theirs', `&domain=${branded}`)
    expect(body).toEqual({ domain: branded, keyword: 'theirs', available: false, reason: 'taken' })
  })

  it('counts hashes, global hashes and the addresses of deleted links as taken', async () => {
    const { id } = await aLink({ long_url: 'https://example.com/hash' })
    const [, hash] = id.split('/')
    expect((await ask(hash)).body).toMatchObject({ available: false, reason: 'held_by_group', shortlink_id: id })
    await started.request('DELETE', `/v4/shortlinks/${id}`)
    expect((await ask(hash)).body).toMatchObject({ available: false, reason: 'taken' })
  })

  it.each([
    ['log in', 'invalid'],
    ['x'.repeat(51), 'invalid'],
    ['Login', 'reserved'],
  ])('says why %s cannot be had: %s', async (keyword, reason) => {
    expect((await ask(keyword)).body).toMatchObject({ available: false, reason })
  })

  it('answers 400 without a back-half, or with a domain that the group may not use', async () => {
    const none = await ask('')
    expect([none.status, none.body.message]).toEqual([400, 'INVALID_ARG_KEYWORD'])
    const foreign = await ask('spring', '&domain=elsewhere.example')
    expect([foreign.status, foreign.body.message]).toEqual([400, 'INVALID_ARG_DOMAIN'])
  })

  it('answers 403 to readers and strangers: they cannot add one', async () => {
    expect((await ask('spring', '', 'Bnowhere')).status).toBe(403)
    const reader = await aMember(started, started.groupGuid, 'reader')
    const path = `/v4/groups/${started.groupGuid}/keyword_availability?keyword=spring`
    expect((await started.request('GET', path, { token: reader })).status).toBe(403)
  })
})
