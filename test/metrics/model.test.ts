/**
 * Compares every click log with a model that checks each click: random clicks and some hundred random queries, while
 * the log is appended to, compacted, closed and opened again.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Click } from '../../src/core/clicks/click.js'
import type { ClickLog } from '../../src/core/clicks/click-log.js'
import { engagementKinds as kinds, trafficClasses } from '../../src/core/clicks/dimensions.js'
import type { MetricsQuery, NestedQuery, SetsQuery } from '../../src/core/clicks/metrics-query.js'
import { Plans } from '../../src/core/limits/plans.js'
import type { Link } from '../../src/core/links/link.js'
import { type RankingDeps, rankLinks } from '../../src/core/metrics/rankings.js'
import type { GroupSubject, ReportInput } from '../../src/core/metrics/report-subject.js'
import { bucketsOf, parseWindow } from '../../src/core/values/window.js'
import { type ClickLogPlace, clickLogEngines, named } from '../support/click-log-engines.js'
import { rounds } from '../support/rounds.js'
import { expected, expectedNested, expectedSets } from './model.js'
import {
  addresses,
  aFilter,
  aRandomClick,
  aRandomNestedQuery,
  aRandomQuery,
  aRandomSetsQuery,
  chanceFrom,
  dimensions,
  groups,
  period,
  seed,
  units,
} from './random.js'

const now = period.to + 86_400_000
const plans = new Plans({ plans: [], defaultPlan: '', onFailure: () => {} })
const clicksPerRound = 400
const queriesPerRound = 40

describe.each(named(clickLogEngines()))('%s agrees with the model', (_, engine) => {
  describe.skipIf(engine.skip)(`with METRICS_SEED=${seed}`, () => {
    const chance = chanceFrom(seed)
    const clicks: Click[] = []
    let place: ClickLogPlace
    let log: ClickLog
    let row = 0
    beforeAll(async () => {
      place = await engine.create()
      log = await place.open()
    })
    afterAll(async () => {
      await log.close()
      await place.remove()
    })

    async function append(count: number): Promise<void> {
      const batch = Array.from({ length: count }, (_, index) => aRandomClick(chance, clicks.length + index))
      await log.append(batch, { journalId: 'journal', row: ++row })
      clicks.push(...batch)
    }

    async function compare(query: MetricsQuery): Promise<void> {
      expect({ query, rows: await log.count(query) }).toEqual({ query, rows: expected(clicks, query) })
    }

    async function compareNested(query: NestedQuery): Promise<void> {
      expect({ query, rows: await log.countNested(query) }).toEqual({ query, rows: expectedNested(clicks, query) })
    }

    async function compareSets(query: SetsQuery): Promise<void> {
      expect({ query, counts: await log.countSets(query) }).toEqual({ query, counts: expectedSets(clicks, query) })
    }

    /** Some addresses belong to links; others no longer do. */
    async function compareRanking(): Promise<void> {
      const groupGuid = chance.of(groups)
      const links = new Map<string, string[]>()
      for (const address of addresses) {
        const id = chance.yes(0.4) && links.size > 0 ? chance.of([...links.keys()]) : address
        if (chance.yes(0.9)) links.set(id, [...(links.get(id) ?? []), address])
      }
      const measure = chance.of(['events', 'visitors'] as const)
      const traffic = chance.of(['human', 'all'] as const)
      const size = 1 + chance.below(8)
      const { filters = [] } = aRandomQuery(chance)
      const asked: ReportInput<GroupSubject> = {
        subject: { scope: { groupGuid }, since: undefined },
        window: parseWindow({ unit: 'month', units: 1 + chance.below(30), unitReference: undefined }, period.to),
        kinds: chance.of([['click'], kinds] as const),
        traffic,
        measure,
        filters,
      }
      const { from, to } = bucketsOf(asked.window, period.to)
      const all = [...links]
      const counts = expectedSets(clicks, {
        kinds: asked.kinds,
        trafficClasses: traffic === 'human' ? ['human'] : trafficClasses,
        from,
        to,
        measure,
        filters,
        groupGuid,
        sets: all.map(([, own]) => own),
      })
      const wanted = all
        .map(([id], place) => ({ id, count: counts[place] ?? 0 }))
        .filter(({ count }) => count > 0)
        .sort((one, other) => other.count - one.count || (one.id < other.id ? -1 : 1))
        .slice(0, size)
      const ranked = await rankLinks({ metrics: log, links: recordsOf(links), plans }, asked, size)
      expect(ranked.map(({ link: { id }, count }) => ({ id, count }))).toEqual(wanted)
    }

    it.each(Array.from({ length: rounds }, (_, round) => round + 1))(
      'in round %i',
      { timeout: 120_000 },
      async (round) => {
        for (let batch = 0; batch < 4; batch++) await append(clicksPerRound / 4)
        if (round % 3 === 0) {
          await log.close()
          log = await place.open()
        }
        // Sometimes partly, sometimes completely, sometimes not at all.
        for (let steps = chance.below(6); steps > 0 && (await log.compact(now)); ) steps--
        for (let query = 0; query < queriesPerRound; query++) await compare(aRandomQuery(chance))
        for (let query = 0; query < queriesPerRound / 2; query++) await compareNested(aRandomNestedQuery(chance))
        for (let query = 0; query < queriesPerRound / 2; query++) await compareSets(aRandomSetsQuery(chance))
        await compareRanking()
      },
    )

    it('for filters with the addresses of very many links', { timeout: 120_000 }, async () => {
      const strange = Array.from({ length: 2_000 }, (_, number) => `sho.rt/no"b'ody-${number}`)
      for (const operator of ['is', 'is_not'] as const) {
        const filter = { by: 'address', operator, values: [...strange, ...chance.some(addresses)] } as const
        await compare({ ...aRandomQuery(chance), filters: [filter] })
      }
    })

    it('for every dimension, filter, unit and measure', { timeout: 120_000 }, async () => {
      while (await log.compact(now)) await append(1)
      for (const measure of ['events', 'visitors'] as const) {
        for (const by of dimensions) await compare({ ...aRandomQuery(chance), by: [by], bucket: undefined, measure })
        for (const by of dimensions) {
          for (const operator of ['is', 'is_not'] as const) {
            await compare({ ...aRandomQuery(chance), filters: [{ ...aFilter(chance, by), operator }], measure })
          }
        }
        for (const unit of units) {
          const query = aRandomQuery(chance)
          await compare({
            ...query,
            by: ['time'],
            bucket: { unit, zone: query.bucket?.zone ?? 'Europe/Berlin' },
            measure,
          })
        }
      }
    })

    it('and its sums agree: summary, series and rows of every facet', { timeout: 120_000 }, async () => {
      for (let times = 0; times < 2; times++) {
        const query = { ...aRandomQuery(chance), kinds, trafficClasses, size: undefined, measure: 'events' } as const
        const total = expected(clicks, { ...query, by: [] })[0]?.count
        for (const by of [[], ...dimensions.map((dimension) => [dimension])])
          expect(await sum({ ...query, by })).toBe(total)
        for (const unit of units) expect(await sum({ ...query, by: ['time'], bucket: { unit, zone: 345 } })).toBe(total)
      }
    })

    async function sum(query: MetricsQuery): Promise<number> {
      return (await log.count(query)).reduce((all, { count }) => all + count, 0)
    }

    it('about the first click', async () => {
      for (let times = 0; times < 5; times++) {
        const query = { ...aRandomQuery(chance), from: undefined, to: Number.POSITIVE_INFINITY }
        const all = expected(clicks, { ...query, by: ['time'], bucket: { unit: 'minute', zone: 0 }, size: undefined })
        const first = all.length === 0 ? undefined : Math.min(...all.map(({ start }) => start))
        const answer = await log.firstAt(query)
        expect(answer === undefined ? undefined : Math.floor(answer / 60_000) * 60_000).toBe(first)
      }
    })
  })
})

/** What the records know about links and their addresses. */
function recordsOf(links: ReadonlyMap<string, readonly string[]>): RankingDeps['links'] {
  const idOf = new Map([...links].flatMap(([id, own]) => own.map((address) => [address, id] as const)))
  const idsOf = (wanted: readonly string[]) => wanted.flatMap((address) => idOf.get(address) ?? [])
  return {
    linksAt: async (_, wanted) => new Map(idsOf(wanted).map((id) => [id, { id } as Link])),
    addressesAt: async (_, wanted) => new Map(idsOf(wanted).map((id) => [id, links.get(id) ?? []])),
    withMostKeywords: async (_, size) => {
      const several = [...links].filter(([, own]) => own.length > 1)
      return new Map(several.sort(([, one], [, other]) => other.length - one.length).slice(0, size))
    },
  }
}
