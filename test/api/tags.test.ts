import { describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'

describe('tags of short links', () => {
  const started = useApp()

  let made = 0
  const create = (tags: unknown) =>
    started.request('POST', '/v4/shortlinks', { body: { long_url: `https://example.com/tags/${made++}`, tags } })
  const patch = (id: string, tags: unknown) => started.request('PATCH', `/v4/shortlinks/${id}`, { body: { tags } })
  const ofGroup = async () => (await started.request('GET', `/v4/groups/${started.groupGuid}/tags`)).body.tags
  const many = (from: number, count: number) => Array.from({ length: count }, (_, index) => `tag-${from + index}`)

  it.each([
    [['a']],
    [['Zebra', 'ant', '_', '-9']],
    [['x'.repeat(49)]],
    [['same', 'SAME']],
    [['عربي', '日本語', 'über', 'हिन्दी', '٤٢']],
  ])('keeps %j in this order', async (tags) => {
    const { status, body } = await create(tags)
    expect([status, body.tags]).toEqual([201, tags])
    expect((await started.request('GET', `/v4/shortlinks/${body.id}`)).body.tags).toEqual(tags)
    expect(await ofGroup()).toEqual(expect.arrayContaining(tags))
  })

  it('stores a duplicate tag once', async () => {
    expect((await create(['b', 'a', 'b'])).body.tags).toEqual(['b', 'a'])
  })

  it('has one spelling for letters that look the same', async () => {
    const { body } = await create(['u\u0308ber', '\u00fcber'])
    expect(body.tags).toEqual(['\u00fcber'])
    const path = `/v4/groups/${started.groupGuid}/shortlinks?tags=${encodeURIComponent('u\u0308ber')}`
    expect((await started.request('GET', path)).body.links.map(({ id }: { id: string }) => id)).toContain(body.id)
  })

  it('counts characters, not their bytes', async () => {
    expect((await create(['𐐀'.repeat(49)])).status).toBe(201)
    const { status, body } = await create(['𐐀'.repeat(50)])
    expect([status, body.message]).toEqual([400, 'INVALID_TAG'])
    expect(body.description).toContain('1 to 49 letters and digits of any script, "-" and "_"')
  })

  it.each(['', 'two words', 'a\u00a0b', 'a、b', '\u0308u', 'a,b', 'a.b', 'line\n', 'x'.repeat(50), '#a', '😀', '€'])(
    'answers 400 INVALID_TAG for %j',
    async (tag) => {
      const { status, body } = await create(['fine', tag])
      expect([status, body.message, body.resource]).toEqual([400, 'INVALID_TAG', 'shortlinks'])
      expect(body.errors).toEqual([{ field: 'tags', error_code: 'invalid' }])
    },
  )

  it.each([[[1]], [[null]], [[['a']]], [[{}]], ['a'], [5], [{ 0: 'a' }]])(
    'answers 400 INVALID_ARG_TAGS for %j',
    async (tags) => {
      const { status, body } = await create(tags)
      expect([status, body.message]).toEqual([400, 'INVALID_ARG_TAGS'])
    },
  )

  it('lets a link have 100 tags, and answers 400 TOO_MANY_TAGS_PER_SHORTLINK for 101', async () => {
    const full = await create(many(0, 100))
    expect([full.status, full.body.tags.length]).toEqual([201, 100])
    const over = await create(many(0, 101))
    expect([over.status, over.body.message]).toEqual([400, 'TOO_MANY_TAGS_PER_SHORTLINK'])
    expect(over.body.errors).toEqual([{ field: 'tags', error_code: 'invalid' }])
    expect((await patch(full.body.id, many(0, 101))).body.message).toBe('TOO_MANY_TAGS_PER_SHORTLINK')
    // A duplicate tag does not count.
    expect((await create([...many(0, 100), 'tag-0'])).status).toBe(201)
  })

  it('lets a group use 1000 tags, and answers 400 TOO_MANY_TAGS_PER_GROUP for one more until one is free', async () => {
    const used = (await ofGroup()).length
    const fillers: string[] = []
    for (let from = 5000; from < 6000 - used; from += 100) {
      const { status, body } = await create(many(from, Math.min(100, 6000 - used - from)))
      expect(status).toBe(201)
      fillers.push(body.id)
    }
    expect(await ofGroup()).toHaveLength(1000)

    const over = await create(['number-1001'])
    expect([over.status, over.body.message, over.body.resource]).toEqual([400, 'TOO_MANY_TAGS_PER_GROUP', 'shortlinks'])
    const last = await create(['tag-0'])
    expect(last.status).toBe(201)
    const patched = await patch(last.body.id, ['tag-0', 'number-1001'])
    expect([patched.status, patched.body.message]).toEqual([400, 'TOO_MANY_TAGS_PER_GROUP'])
    expect((await started.request('GET', `/v4/shortlinks/${last.body.id}`)).body.tags).toEqual(['tag-0'])
    expect(await ofGroup()).not.toContain('number-1001')

    expect((await patch(fillers[0] ?? '', [])).status).toBe(200)
    expect((await patch(last.body.id, ['number-1001'])).body.tags).toEqual(['number-1001'])
    expect(await ofGroup()).toHaveLength(901)
  })
})
