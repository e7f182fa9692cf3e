/** Referrers grouped by site: sites are ranked by all of their referrers, and `size` is the number of sites. */
import { beforeAll, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { asking } from './v3/ask.js'
import { visit } from './visits.js'

const started = useApp({ trustProxy: 1 })
let id: string
const pages = Array.from({ length: 60 }, (_, page) => `https://www.instagram.com/p/${page}`)
const post = 'https://blog.example.org/post'
beforeAll(async () => {
  id = (await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/sites' } })).body.id
  // Each page of the big site has fewer clicks than the pages of the others.
  for (const page of pages) await visit(started, id, { referrer: page })
  for (let times = 0; times < 3; times++) await visit(started, id, { referrer: post })
  for (let times = 0; times < 2; times++) await visit(started, id)
  await started.clicksCounted()
})

interface Site {
  readonly network: string
  readonly clicks: number
  readonly truncated: boolean
  readonly referrers: readonly { readonly key: string; readonly value: number }[]
}

async function sites(query = ''): Promise<readonly Site[]> {
  const { status, body } = await started.request('GET', `/v4/shortlinks/${id}/referrers_by_domains${query}`)
  expect(status).toBe(200)
  return body.referrers_by_domain
}

it.each([1, 2, 3, 50, 1000])('ranks sites by their sum, whatever the size: %i', async (size) => {
  const found = await sites(`?size=${size}`)
  const all = [
    ['Instagram', 60],
    ['example.org', 3],
    ['direct', 2],
  ]
  expect(found.map(({ network, clicks }) => [network, clicks])).toEqual(all.slice(0, size))
})

it.each([1, 3, 50])('lists all referrers of a site that has few of them, with a size of %i', async (size) => {
  const [first] = await sites(`?size=${size}`)
  expect(first?.truncated).toBe(false)
  expect(first?.referrers.map(({ key }) => key).sort()).toEqual([...pages].sort())
  expect(first?.referrers.every(({ value }) => value === 1)).toBe(true)
})

it('reports when the list of a site is truncated', async () => {
  const [first, second] = await sites('?size=1000')
  expect([first?.referrers.length, first?.truncated, first?.clicks]).toEqual([10, true, 60])
  expect(second).toEqual({
    network: 'example.org',
    clicks: 3,
    truncated: false,
    referrers: [{ key: post, value: 3 }],
  })
})

it('counts a visitor of many pages of a site once for the site', async () => {
  const [first] = await sites('?measure=visitors&size=1')
  expect([first?.network, first?.clicks]).toEqual(['Instagram', 1])
  expect(first?.referrers).toHaveLength(60)
})

it('v3 ranks hosts by their total too, and names those with a truncated list', async () => {
  const v3 = asking(started)
  const ask = async (limit: number) => v3.data('link/referrers_by_domain', { link: `http://${id}`, limit })
  const one = await ask(1)
  expect(Object.keys(one.referrers)).toEqual(['www.instagram.com'])
  expect(one.referrers['www.instagram.com']).toHaveLength(60)
  expect(one.truncated).toEqual([])
  const many = await ask(1000)
  expect(Object.keys(many.referrers)).toEqual(['www.instagram.com', 'blog.example.org', 'direct'])
  expect(many.referrers['www.instagram.com']).toHaveLength(10)
  expect(many.referrers['blog.example.org']).toEqual([{ clicks: 3, referrer: post }])
  expect(many.truncated).toEqual(['www.instagram.com'])
})
