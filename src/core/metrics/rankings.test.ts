import { expect, it } from 'vitest'
import type { Link } from '../links/link.js'
import type { MetricsLog } from './query.js'
import { rankLinks } from './rankings.js'
import type { Asked, GroupSubject } from './report-subject.js'
import { parseWindow } from './window.js'

const asked: Asked<GroupSubject> = {
  subject: { scope: { groupGuid: 'B1' }, since: undefined },
  window: parseWindow({ unit: 'day', units: -1, unitReference: undefined }, 0),
  kinds: ['click'],
  traffic: 'human',
  measure: 'events',
}

it('ranks addresses by count, with the links behind them once each', async () => {
  const { ranked, links } = await rankLinks(world({ 'sho.rt/word': 'a', 'sho.rt/b': 'b', 'sho.rt/a': 'a' }), asked, 3)
  expect(ranked.map(({ address }) => address)).toEqual(['sho.rt/word', 'sho.rt/b', 'sho.rt/a'])
  expect(ranked.map(({ count }) => count)).toEqual([3, 2, 1])
  expect(links.map(({ id }) => id)).toEqual(['a', 'b'])
})

it('lets the next ones move up where the biggest are gone, and looks each up once', async () => {
  const gone = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`sho.rt/gone-${index}`, undefined]))
  const parts = world({ ...gone, 'sho.rt/a': 'a', 'sho.rt/b': 'b', 'sho.rt/c': 'c' })
  const { ranked } = await rankLinks(parts, asked, 2)
  expect(ranked.map(({ address }) => address)).toEqual(['sho.rt/a', 'sho.rt/b'])
  expect(new Set(parts.looked).size).toBe(parts.looked.length)
})

it('ends when there are no more', async () => {
  expect(await rankLinks(world({}), asked, 2)).toEqual({ ranked: [], links: [] })
  const { ranked } = await rankLinks(world({ 'sho.rt/a': 'a', 'sho.rt/gone': undefined }), asked, 2)
  expect(ranked).toEqual([{ address: 'sho.rt/a', count: 2 }])
})

/** Addresses in the order of their counts, each with the id of the link behind it, if that is still there. */
function world(addresses: Readonly<Record<string, string | undefined>>) {
  const names = Object.keys(addresses)
  const looked: string[] = []
  const metrics: MetricsLog = {
    count: async ({ size }) =>
      names.slice(0, size).map((address, at) => ({ start: 0, values: [address], count: names.length - at })),
    countNested: async () => [],
    firstAt: async () => undefined,
  }
  const linkLists = {
    async behind(_groupGuid: string, wanted: readonly string[]) {
      looked.push(...wanted)
      return new Map(
        wanted.flatMap((address) => {
          const id = addresses[address]
          return id === undefined ? [] : [[address, { id } as Link] as const]
        }),
      )
    },
  }
  return { metrics, linkLists, looked }
}
