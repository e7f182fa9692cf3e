/** Retention: single clicks are deleted, totals stay, and reports over whole quarters of an hour do not change. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Click } from '../../src/core/clicks/click.js'
import type { ClickLog } from '../../src/core/clicks/click-log.js'
import { engagementKinds as kinds, trafficClasses } from '../../src/core/clicks/dimensions.js'
import type { MetricsQuery } from '../../src/core/clicks/metrics-query.js'
import { type ClickLogPlace, clickLogEngines, named } from '../support/click-log-engines.js'
import { rounds } from '../support/rounds.js'
import { expected, expectedNested, expectedSets } from './model.js'
import {
  aRandomClick,
  aRandomNestedQuery,
  aRandomQuery,
  aRandomSetsQuery,
  type Chance,
  chanceFrom,
  period,
  seed,
} from './random.js'

const quarter = 15 * 60_000
const day = 86_400_000
const retentionDays = 300
const now = period.to + day / 2
const cutoff = period.to - retentionDays * day

describe.each(named(clickLogEngines()))('%s', (_, engine) => {
  describe.skipIf(engine.skip)(`purged clicks, with METRICS_SEED=${seed}`, () => {
    let chance: Chance
    let clicks: Click[]
    let place: ClickLogPlace
    let log: ClickLog
    let row = 0
    beforeEach(async () => {
      chance = chanceFrom(seed)
      clicks = []
      place = await engine.create()
      log = await place.open()
      for (let batch = 0; batch < 5; batch++) await append(300)
      await log.compact(now)
      await log.close()
      log = await place.open({ retentionDays })
    })
    afterEach(async () => {
      await log.close()
      await place.remove()
    })

    async function append(count: number): Promise<void> {
      const batch = Array.from({ length: count }, (_, index) => aRandomClick(chance, clicks.length + index))
      await log.append(batch, { journalId: 'journal', row: ++row })
      clicks.push(...batch)
    }

    async function purge(): Promise<void> {
      while (await log.compact(now));
    }

    it('count the same in every report over whole quarters of an hour', { timeout: 120_000 }, async () => {
      const queries = Array.from({ length: 20 * rounds }, () => aligned(aRandomQuery(chance)))
      const before = await answers(queries)
      await purge()
      expect(await answers(queries)).toEqual(before)
      for (const query of queries) expect(await log.count(query)).toEqual(expected(clicks, query))
    })

    it('count the same after late arrivals and after a restart', { timeout: 120_000 }, async () => {
      await purge()
      await append(400)
      const queries = Array.from({ length: 10 * rounds }, () => aligned(aRandomQuery(chance)))
      const before = await answers(queries)
      await purge()
      await log.close()
      log = await place.open({ retentionDays })
      expect(await answers(queries)).toEqual(before)
      for (const query of queries) expect(await log.count(query)).toEqual(expected(clicks, query))
    })

    it('count the same in rows with parts and in sets of addresses', { timeout: 120_000 }, async () => {
      await purge()
      await append(200)
      for (let times = 0; times < 5 * rounds; times++) {
        const nested = inQuarters(aRandomNestedQuery(chance))
        expect(await log.countNested(nested)).toEqual(expectedNested(clicks, nested))
        const sets = inQuarters(aRandomSetsQuery(chance))
        expect(await log.countSets(sets)).toEqual(expectedSets(clicks, sets))
      }
    })

    it('are deleted with their visitors; younger clicks keep theirs', async () => {
      await purge()
      const all = {
        scope: { groupGuid: 'Bone' },
        kinds,
        trafficClasses,
        by: [],
        bucket: undefined,
        size: undefined,
      } as const
      const visitors = { ...all, measure: 'visitors' } as const
      expect(await log.count({ ...visitors, from: undefined, to: cutoff })).toEqual([
        { start: 0, values: [], count: 0 },
      ])
      const young: MetricsQuery = { ...visitors, from: cutoff, to: now }
      expect(await log.count(young)).toEqual(expected(clicks, young))
    })

    it('have no rows in visitor reports', async () => {
      await purge()
      const visitors = {
        scope: { groupGuid: 'Bone' },
        kinds,
        trafficClasses,
        size: undefined,
        measure: 'visitors',
      } as const
      const old = { ...visitors, from: undefined, to: cutoff }
      expect(await log.count({ ...old, by: ['country'], bucket: undefined })).toEqual([])
      expect(await log.count({ ...old, by: ['time'], bucket: { unit: 'month', zone: 0 } })).toEqual([])
    })

    it('still count if the log is opened without retention', { timeout: 120_000 }, async () => {
      const queries = Array.from({ length: 5 * rounds }, () => aligned(aRandomQuery(chance)))
      await purge()
      await log.close()
      log = await place.open()
      for (const query of queries) expect(await log.count(query)).toEqual(expected(clicks, query))
    })

    it('report the first click by quarter of an hour', async () => {
      const query = { scope: { groupGuid: 'Bone' }, kinds, trafficClasses } as const
      const first = await log.firstAt(query)
      await purge()
      expect(await log.firstAt(query)).toBe(Math.floor((first ?? 0) / quarter) * quarter)
    })

    async function answers(queries: readonly MetricsQuery[]) {
      const rows = []
      for (const query of queries) rows.push(await log.count(query))
      return rows
    }
  })
})

function aligned(query: MetricsQuery): MetricsQuery {
  const { bucket } = query
  return {
    ...inQuarters(query),
    bucket: bucket && { ...bucket, unit: bucket.unit === 'minute' ? 'hour' : bucket.unit },
  }
}

function inQuarters<Q extends Pick<MetricsQuery, 'from' | 'to' | 'measure'>>(query: Q): Q {
  const { from, to } = query
  return {
    ...query,
    from: from === undefined ? undefined : Math.floor(from / quarter) * quarter,
    to: Math.floor(to / quarter) * quarter,
    measure: 'events',
  }
}
