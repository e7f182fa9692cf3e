import { expect, it } from 'vitest'
import type { MetricsLog } from '../clicks/metrics-query.js'
import { Plans } from '../limits/plans.js'
import type { Link } from '../links/link.js'
import type { LinkFilter } from '../links/link-store.js'
import { parseWindow } from '../values/window.js'
import { rankLinks } from './rankings.js'
import type { GroupSubject, ReportInput } from './report-subject.js'

const asked: ReportInput<GroupSubject> = {
  subject: { scope: { groupGuid: 'B1' }, since: undefined },
  window: parseWindow({ unit: 'day', units: -1, unitReference: undefined }, 0),
  kinds: ['click'],
  traffic: 'human',
  measure: 'events',
}

it('ranks links by the sum of their addresses, equal ones by id', async () => {
  const deps = world({ a: { a: 2, word: 3 }, b: { b: 4 }, d: { d: 1 }, c: { c: 0, other: 1 } })
  expect(await ranked(deps, 9)).toEqual(['a 5', 'b 4', 'c 1', 'd 1'])
  expect(await ranked(deps, 1)).toEqual(['a 5'])
})

it('finds a link whose addresses are all small', async () => {
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, number) => [`word-${number}`, 3]))
  const big = Object.fromEntries(
    Array.from({ length: 500 }, (_, number) => [`big-${number}`, { [`big-${number}`]: 9 }]),
  )
  expect(await ranked(world({ ...big, z: { z: 0, ...many } }), 2)).toEqual(['z 1200', 'big-0 9'])
})

it('lets the next ones move up where the biggest are gone', async () => {
  const gone = Object.fromEntries(Array.from({ length: 300 }, (_, number) => [`gone-${number}`, 7]))
  expect(await ranked(world({ a: { a: 3 }, b: { b: 2 }, c: { c: 1 } }, gone), 2)).toEqual(['a 3', 'b 2'])
})

it('ranks only links that match, however many others are used more', async () => {
  const others = Object.fromEntries(
    Array.from({ length: 3000 }, (_, number) => [`other-${number}`, { [`other-${number}`]: 9, [`word-${number}`]: 9 }]),
  )
  const deps = world({ ...others, mine: { mine: 1, own: 2 }, 'mine-too': { 'mine-too': 2 }, 'mine-silent': { x: 0 } })
  const found = await rankLinks(deps, asked, 5, { words: ['mine'] })
  expect(found.map(({ link, count }) => `${link.id} ${count}`)).toEqual(['mine 3', 'mine-too 2'])
  expect(await rankLinks(deps, asked, 5, { words: [] })).toHaveLength(5)
})

it('looks for links that match among the 100,000 most used addresses', async () => {
  const others = Object.fromEntries(
    Array.from({ length: 120_000 }, (_, number) => [`other-${number}`, { [`other-${number}`]: 2 }]),
  )
  const deps = world({ ...others, mine: { mine: 1 } })
  expect(await rankLinks(deps, asked, 5, { words: ['mine'] })).toEqual([])
  expect(deps.pages.reduce((sum, size) => sum + size, 0)).toBeLessThan(110_000)
})

it('ends when there are no more', async () => {
  expect(await ranked(world({}), 2)).toEqual([])
  expect(await ranked(world({ a: { a: 2 } }, { gone: 5 }), 2)).toEqual(['a 2'])
})

it('reads one page of addresses when few links have several', async () => {
  const flat = Object.fromEntries(
    Array.from({ length: 5000 }, (_, number) => [`link-${number}`, { [`link-${number}`]: 1 }]),
  )
  const deps = world({ ...flat, z: { z: 1, word: 1 } })
  expect(await ranked(deps, 1)).toEqual(['z 2'])
  expect(deps.pages).toEqual([100])
})

it('reads on, page by page, until no link that was not met can be bigger', async () => {
  const several = Object.fromEntries(
    Array.from({ length: 3000 }, (_, number) => [`link-${number}`, { [`link-${number}`]: 2, [`word-${number}`]: 1 }]),
  )
  const deps = world({ ...several, 'link-2999': { 'link-2999': 2, 'word-2999': 2 } })
  expect(await ranked(deps, 1)).toEqual(['link-2999 4'])
  // After the first thousand, which are counted at once; all addresses are used half as often as the biggest link.
  expect(deps.pages.length).toBeGreaterThan(2)
  expect(Math.max(...deps.pages)).toBeLessThanOrEqual(10_000)
})

it('is what adding everything up and sorting gives, whatever the links are like', async () => {
  const random = randomFrom(20_261_115)
  const below = (limit: number) => Math.floor(random() * limit)
  for (let round = 0; round < 30; round++) {
    // Flat counts and steep ones, few links with several addresses and many.
    const [links, steep, several] = [below(3000), 1 + below(6), random()]
    const used = () => Math.floor(3 * random() ** -(steep / 4)) - below(3)
    const all = Object.fromEntries(
      Array.from({ length: links }, (_, number) => {
        const id = `link-${below(10 ** 6)}-${number}`
        const words = random() < several ? Array.from({ length: 1 + below(3) }, (_, word) => `${id}-${word}`) : []
        return [id, Object.fromEntries([id, ...words].map((address) => [address, Math.max(0, used())]))]
      }),
    )
    const gone = Object.fromEntries(Array.from({ length: below(300) }, (_, number) => [`gone-${number}`, used() + 3]))
    const sums = Object.entries(all).map(([id, own]) => ({ id, count: Object.values(own).reduce((a, b) => a + b, 0) }))
    const size = 1 + below(200)
    const wanted = sums
      .filter(({ count }) => count > 0)
      .sort((one, other) => other.count - one.count || (one.id < other.id ? -1 : 1))
      .slice(0, size)
    expect(await ranked(world(all, gone), size)).toEqual(wanted.map(({ id, count }) => `${id} ${count}`))
  }
})

async function ranked(deps: ReturnType<typeof world>, size: number): Promise<readonly string[]> {
  return (await rankLinks(deps, asked, size)).map(({ link, count }) => `${link.id} ${count}`)
}

type Used = Readonly<Record<string, number>>

/** Links by id, each with how often its addresses were used; and addresses that lead nowhere any more. */
function world(all: Readonly<Record<string, Used>>, gone: Used = {}) {
  const used = new Map(Object.entries(Object.assign({}, gone, ...Object.values(all)) as Used))
  const linkOf = new Map(Object.entries(all).flatMap(([id, own]) => Object.keys(own).map((address) => [address, id])))
  const byCount = [...used]
    .filter(([, count]) => count > 0)
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
  const pages: number[] = []
  const metrics: MetricsLog = {
    async count({ size = byCount.length, skip = 0 }) {
      pages.push(size)
      return byCount.slice(skip, skip + size).map(([address, count]) => ({ start: 0, values: [address], count }))
    },
    countSets: async ({ sets }) => sets.map((set) => set.reduce((sum, address) => sum + (used.get(address) ?? 0), 0)),
    countNested: async () => [],
    last: async () => [],
    firstAt: async () => undefined,
  }
  const addressesOf = (id: string) => Object.keys(all[id] ?? {})
  const links = {
    linksAt: async (_groupGuid: string, addresses: readonly string[], { words = [] }: LinkFilter = {}) =>
      new Map(
        addresses.flatMap((address) => {
          const id = linkOf.get(address)
          if (id === undefined || !words.every((word) => id.includes(word))) return []
          return [
            [address, { id, keywords: addressesOf(id).filter((each) => each !== id) as readonly string[] } as Link],
          ]
        }),
      ),
    addressesAt: async (_groupGuid: string, addresses: readonly string[]) =>
      new Map(
        addresses.flatMap((address) => {
          const id = linkOf.get(address)
          return id === undefined ? [] : [[id, addressesOf(id)] as const]
        }),
      ),
    withMostKeywords: async (_groupGuid: string, size: number) =>
      new Map(
        Object.keys(all)
          .map((id) => [id, addressesOf(id)] as const)
          .filter(([, addresses]) => addresses.length > 1)
          .sort(([, one], [, other]) => other.length - one.length)
          .slice(0, size),
      ),
  }
  const plans = new Plans({ plans: [], defaultPlan: '', onFailure: () => {} })
  return { metrics, links, plans, pages }
}

function randomFrom(seed: number): () => number {
  // mulberry32
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
