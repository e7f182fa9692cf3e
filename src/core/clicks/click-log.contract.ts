/** What every click log promises, as tests; run on each engine beside its adapter. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sampleOf } from '../../lib/sample.builder.js'
import type { Zone } from '../values/zone.js'
import type { Unit } from '../values/zone-buckets.js'
import type { Click } from './click.js'
import { aBatch } from './click-batch.builder.js'
import type { ClickLog } from './click-log.js'
import { allDimensions, dimensionsOf, engagementKinds, type Name, type Part, type TextsOf } from './dimensions.js'
import type { ClickPlace, LastClick, MetricsQuery, NestedQuery } from './metrics-query.js'
import type { Agent } from './user-agent.js'

/** `open` opens the same log each time within one test, and a new one in the next. */
export function clickLogContract(open: () => Promise<ClickLog>): void {
  describe('ClickLog', () => {
    let log: ClickLog
    let row = 0
    beforeEach(async () => {
      row = 0
      log = await open()
    })
    afterEach(() => log.close())

    const now = Date.parse('2026-12-01T00:00:00Z')
    const append = (...clicks: readonly Click[]) => log.append(clicks, { journalId: 'journal', row: ++row })
    const total = async (query: Partial<MetricsQuery> = {}) => (await log.count(aQuery(query)))[0]?.count ?? 0

    it('starts with no clicks and every cursor at 0', async () => {
      expect(await log.cursor('journal')).toBe(0)
      expect(await total()).toBe(0)
      expect(await log.firstAt(aQuery())).toBeUndefined()
    })

    it('knows its size', async () => {
      await append(aClick(), aClick())
      await append(aClick())
      const { rows, bytes } = await log.size()
      expect(rows).toBe(3)
      expect(bytes).toBeGreaterThan(0)
    })

    it('knows the newest click after a time', async () => {
      await append(aClick({ at: 1_000 }), aClick({ at: 3_000 }), aClick({ at: 2_000 }))
      expect([await log.newestAfter(999), await log.newestAfter(2_000), await log.newestAfter(3_000)]).toEqual([
        3_000,
        3_000,
        undefined,
      ])
    })

    it('keeps a cursor for each journal', async () => {
      await log.append([aClick()], { journalId: 'one', row: 7 })
      await log.append([aClick()], { journalId: 'two', row: 3 })
      await log.append([aClick()], { journalId: 'one', row: 9 })
      expect([await log.cursor('one'), await log.cursor('two'), await log.cursor('three')]).toEqual([9, 3, 0])
    })

    it('counts views and the buttons of each site apart from clicks', async () => {
      const button = { kind: 'button', site: 'M3xYz12AbCd' } as const
      await append(aClick(), aClick({ kind: 'view' }), aClick({ kind: 'view' }), aClick(button), aClick(button))
      await append(aClick({ ...button, site: 'M4aBc34DeFg' }), aClick({ ...button, groupGuid: 'Bother' }))
      expect([await total(), await total({ kinds: engagementKinds }), await total({ kinds: ['view'] })]).toEqual([
        1, 5, 2,
      ])
      const scope = { groupGuid: 'Bgroup' }
      const buttons = { scope, kinds: ['button'], by: ['site'] } as const
      expect(await log.count(aQuery(buttons))).toEqual([
        { start: 0, values: ['M3xYz12AbCd'], count: 2 },
        { start: 0, values: ['M4aBc34DeFg'], count: 1 },
      ])
      const filters = [{ by: 'site', operator: 'is', values: ['M3xYz12AbCd'] }] as const
      expect(await total({ ...buttons, by: [], filters })).toBe(2)
      const groups = (...groupGuids: string[]) => total({ kinds: ['button'], filters, scope: { groupGuids } })
      expect([await groups('Bgroup', 'Bother'), await groups('Bother', 'Bnone'), await groups()]).toEqual([3, 1, 0])
      const both = { groupGuids: ['Bgroup', 'Bother'] }
      const inTheir = (operator: 'is' | 'is_not', ...groupGuids: string[]) => {
        const values = ['M3xYz12AbCd', 'M4aBc34DeFg'].slice(0, groupGuids.length)
        return total({ kinds: ['button'], filters: [{ by: 'site', operator, values, groupGuids }], scope: both })
      }
      expect(await inTheir('is', 'Bgroup', 'Bother')).toBe(2)
      expect(await inTheir('is', 'Bother', 'Bother')).toBe(1)
      expect(await inTheir('is_not', 'Bgroup', 'Bother')).toBe(2)
      expect(await inTheir('is', 'Bnone')).toBe(0)
      expect(await inTheir('is')).toBe(0)
    })

    it('tells the last single clicks, newest first', async () => {
      const query = { ...aQuery({ kinds: ['click', 'scan'] }), by: ['kind', 'city', 'device'], size: 2 } as const
      expect(await log.last(query)).toEqual([])
      await append(aClick({ at: 1_000, city: 'Kiel' }), aClick({ at: 4_000, address: 'sho.rt/b' }))
      await append(aClick({ at: 3_000, kind: 'scan', city: '' }), aClick({ at: 2_000, device: 'Mobile' }))
      await append(aClick({ at: 5_000, trafficClass: 'bot' }))
      expect(await log.last(query)).toMatchObject([
        { at: 3_000, values: ['scan', '', 'Desktop'] },
        { at: 2_000, values: ['click', 'Berlin', 'Mobile'] },
      ])
      expect(await log.last({ ...query, to: 2_000 })).toMatchObject([
        { at: 1_000, values: ['click', 'Kiel', 'Desktop'] },
      ])
      expect(await log.last({ ...query, scope: { groupGuid: 'Bgroup' }, from: 4_000 })).toHaveLength(1)
    })

    it('continues a list of single clicks after any place, while clicks arrive and are compacted', async () => {
      const alike = Array.from({ length: 3 }, () => aClick({ at: 2_000 }))
      const ofOneTime = ['Kiel', 'Bonn', 'Ulm', 'Hof'].map((city) => aClick({ at: 2_000, city }))
      await append(aClick({ at: 1_000, city: 'first' }), ...alike, ...ofOneTime, aClick({ at: 3_000, city: 'last' }))
      const query = { ...aQuery({ scope: { groupGuid: 'Bgroup' } }), by: ['city'], size: 100 } as const
      const whole = await log.last(query)
      expect(whole).toHaveLength(9)
      expect(new Set(whole.map(({ at, key }) => `${at} ${key}`)).size).toBeGreaterThanOrEqual(7)
      for (const size of [1, 2, 4]) {
        const walked: LastClick[] = []
        let after: ClickPlace | undefined
        do {
          const page: readonly LastClick[] = await log.last({ ...query, size, ...(after && { after }) })
          walked.push(...page)
          const last = page.at(-1)
          const isLast = ({ at, key }: LastClick) => at === last?.at && key === last.key
          after = last && { at: last.at, key: last.key, skip: walked.filter(isLast).length }
          await append(aClick({ at: 4_000, city: 'new' }))
          await log.compact(now)
        } while (after)
        expect(walked.filter(({ at }) => at < 4_000)).toEqual(whole)
      }
    })

    it('lists single clicks that match the filters, and none of other groups', async () => {
      await append(aClick({ at: 1_000, city: 'Kiel' }), aClick({ at: 2_000, city: 'Bonn', kind: 'scan' }))
      await append(aClick({ at: 3_000, city: 'Kiel', groupGuid: 'Bother', address: 'sho.rt/other' }))
      const query = {
        ...aQuery({ scope: { groupGuid: 'Bgroup' }, kinds: ['click', 'scan'] }),
        by: ['city', 'address'],
        size: 10,
      } as const
      expect((await log.last(query)).map(({ values }) => values[0])).toEqual(['Bonn', 'Kiel'])
      const inKiel = { by: 'city', operator: 'is', values: ['Kiel'] } as const
      expect((await log.last({ ...query, filters: [inKiel] })).map(({ at }) => at)).toEqual([1_000])
      const after = { at: 9_000, key: '18446744073709551615', skip: 0 }
      expect((await log.last({ ...query, after })).map(({ at }) => at)).toEqual([2_000, 1_000])
    })

    it('moves the cursor when a row had no clicks worth keeping', async () => {
      await log.append([], { journalId: 'journal', row: 5 })
      expect(await log.cursor('journal')).toBe(5)
    })

    it('forgets the clicks of a visitor on a day, and no others', async () => {
      const midnight = Date.parse('2026-11-16T00:00:00Z')
      const visit = (at: number, visitorHash: bigint) => aClick({ at, visitorHash })
      await append(visit(midnight - 1, 7n), visit(midnight, 7n), visit(midnight + 5, 7n), visit(midnight + 6, 8n))
      const which = { visitor: '7', from: midnight, before: midnight + 86_400_000 }
      expect(await log.forgetClicks(which, { dryRun: true })).toBe(2)
      expect(await total()).toBe(4)
      expect(await log.forgetClicks(which, { dryRun: false })).toBe(2)
      expect(await total()).toBe(2)
      expect(await log.forgetClicks(which, { dryRun: false })).toBe(0)
      expect(await log.cursor('journal')).toBe(1)
    })

    it('forgets all clicks and totals of addresses, keeps the cursor, and counts later clicks', async () => {
      const kept = aClick({ address: 'sho.rt/kept' })
      const gone = aClick({
        address: 'sho.rt/gone',
        destination: 'https://example.com/erika',
        referrer: 'https://e.example/',
      })
      await append(kept, gone)
      await log.appendBatch(
        aBatch([
          { ...gone, total: 5 },
          { ...kept, total: 3 },
        ]),
        { journalId: 'import', row: 9 },
      )
      await append(gone)
      expect(await log.forgetClicks({ addresses: ['sho.rt/gone', 'sho.rt/none'] }, { dryRun: false })).toBe(7)
      expect(await total({ scope: { addresses: ['sho.rt/gone'] } })).toBe(0)
      expect(await total({ scope: { addresses: ['sho.rt/kept'] } })).toBe(4)
      expect([await log.cursor('journal'), await log.cursor('import')]).toEqual([2, 9])
      await log.close()
      log = await open()
      expect([await log.cursor('journal'), await log.cursor('import')]).toEqual([2, 9])

      await append({ ...gone, address: 'sho.rt/other' }, kept)
      expect(await total({ scope: { addresses: ['sho.rt/other'] } })).toBe(1)
      expect(await total({ scope: { addresses: ['sho.rt/kept'] } })).toBe(5)
    })

    it('leaves neither clicks nor cursor when an append fails, and takes the same clicks afterwards', async () => {
      await append(aClick())
      const good = aClick({
        address: 'sho.rt/new',
        groupGuid: 'Bnew',
        destination: 'https://example.com/new',
        city: 'Ulm',
      })
      const bad = aClick({ visitorHash: -1n })
      await expect(log.append([good, bad], { journalId: 'journal', row: 2 })).rejects.toThrow()
      expect(await log.cursor('journal')).toBe(1)
      expect(await total()).toBe(1)
      expect(await total({ scope: { addresses: ['sho.rt/new'] } })).toBe(0)

      await log.append([good], { journalId: 'journal', row: 2 })
      expect(await log.cursor('journal')).toBe(2)
      expect(await total({ scope: { addresses: ['sho.rt/new'] } })).toBe(1)
      expect(await total({ scope: { groupGuid: 'Bnew' } })).toBe(1)
    })

    it('counts a batch as it counts its clicks one by one', async () => {
      const clicks = [
        aClick({ at: 0, address: 'sho.rt/a', kind: 'scan', city: 'Ulm' }),
        aClick({ address: 'sho.rt/b', groupGuid: 'Bother', destination: 'https://example.com/b', browser: 'Safari' }),
        aClick({
          address: 'sho.rt/a',
          kind: 'button',
          trafficClass: 'bot',
          visitorHash: 1n,
          referrer: 'https://x.example/',
        }),
        aClick({ at: now - 1, country: '', region: '', city: '', referrerName: 'X', device: 'Tablet', os: 'Android' }),
      ]
      const by: readonly Name[] = [
        'address',
        'kind',
        'country',
        'region',
        'city',
        'device',
        'os',
        'browser',
        'destination',
        'referrer',
        'referrerDomain',
        'referrerName',
        'referrerNetwork',
      ]
      const counts = async (factor: number) => {
        const trafficClasses = ['human', 'bot'] as const
        const scope = { addresses: ['sho.rt/a', 'sho.rt/b'] }
        const rows = await log.count(aQuery({ scope, kinds: ['click', 'scan', 'button'], trafficClasses, by }))
        return rows.map(({ values, count }) => `${values.join(' ')} ${count / factor}`).sort()
      }
      await append(...clicks)
      const once = await counts(1)
      expect(once).toHaveLength(4)
      const first = aBatch(clicks)
      await log.appendBatch(first, { journalId: 'import', row: 4 })
      expect(await counts(2)).toEqual(once)
      expect([await log.cursor('import'), await log.cursor('journal')]).toEqual([4, row])
      // The same tables with more entries, and an empty batch.
      await log.appendBatch(aBatch(clicks.toReversed(), first), { journalId: 'import', row: 8 })
      await log.appendBatch(aBatch([]), { journalId: 'import', row: 9 })
      expect(await counts(3)).toEqual(once)
      expect(await log.cursor('import')).toBe(9)
      expect(await total({ scope: { groupGuid: 'Bother' }, measure: 'visitors' })).toBe(1)
      expect(await log.firstAt(aQuery({ kinds: ['scan'] }))).toBe(0)
    })

    it('counts totals as so many clicks, everywhere, and as nobody', async () => {
      const at = now - 3_600_000
      await append(aClick({ at: at + 60_000, visitorHash: 7n }))
      const total = { total: 1_000_000 }
      await log.appendBatch(
        aBatch([
          aClick({ at, visitorHash: 7n }),
          { ...aClick({ at, city: 'Ulm' }), ...total },
          { ...aClick({ at: at + 120_000, kind: 'scan', address: 'sho.rt/other' }), total: 5 },
        ]),
        { journalId: 'import', row: 2 },
      )
      expect(await counted()).toBe(1_000_002)
      expect(await counted({ kinds: ['click', 'scan'] })).toBe(1_000_007)
      expect(await counted({ measure: 'visitors' })).toBe(1)
      const series = await log.count(aQuery({ by: ['time'], bucket: { unit: 'minute', zone: 0 } }))
      expect(series.map(({ start, count }) => [start - at + (at % 60_000), count]).sort()).toEqual([
        [0, 1_000_001],
        [60_000, 1],
      ])
      const cities = await log.count(aQuery({ by: ['city'] }))
      expect(cities[0]).toMatchObject({ values: ['Ulm'], count: 1_000_000 })
      const other = { addresses: ['sho.rt/other'] }
      expect(await log.firstAt(aQuery({ scope: other, kinds: ['scan'] }))).toBe(at + 120_000)
      expect(await log.cursor('import')).toBe(2)

      async function counted(input: Partial<MetricsQuery> = {}) {
        const scope = { groupGuid: aClick().groupGuid }
        return (await log.count(aQuery({ scope, ...input })))[0]?.count
      }
    })

    it('remembers what a batch has passed over, with its clicks or not at all', async () => {
      const batch = (skippedRanges: readonly number[]) => ({ ...aBatch([aClick()]), skippedRanges })
      expect(await log.skippedRanges('import')).toEqual([])
      await log.appendBatch(batch([2, 4, 7, 7]), { journalId: 'import', row: 9 })
      await log.appendBatch(batch([]), { journalId: 'import', row: 12 })
      await log.appendBatch(batch([14, 2 ** 40]), { journalId: 'import', row: 2 ** 40 + 1 })
      await log.appendBatch(batch([1, 1]), { journalId: 'import-2', row: 5 })
      expect(await log.skippedRanges('import')).toEqual([2, 4, 7, 7, 14, 2 ** 40])
      expect(await log.skippedRanges('import-2')).toEqual([1, 1])
      const good = batch([6, 6])
      const broken = { ...good, referrers: { ...good.referrers, used: Uint32Array.of(7) } }
      await expect(log.appendBatch(broken, { journalId: 'import-2', row: 8 })).rejects.toThrow()
      expect(await log.skippedRanges('import-2')).toEqual([1, 1])
      expect(await total()).toBe(4)
    })

    it('leaves nothing of a batch that fails, and takes the same clicks afterwards', async () => {
      const batch = aBatch([aClick(), aClick({ address: 'sho.rt/new', groupGuid: 'Bnew', city: 'Ulm' })])
      const broken = { ...batch, referrers: { ...batch.referrers, used: Uint32Array.of(0, 7) } }
      await expect(log.appendBatch(broken, { journalId: 'import', row: 2 })).rejects.toThrow()
      expect(await log.cursor('import')).toBe(0)
      expect(await total()).toBe(0)
      await append(aClick({ address: 'sho.rt/between', groupGuid: 'Bbetween' }))
      await log.appendBatch(batch, { journalId: 'import', row: 2 })
      expect(await log.cursor('import')).toBe(2)
      expect(await total()).toBe(1)
      expect(await total({ scope: { groupGuid: 'Bnew' } })).toBe(1)
      expect(await total({ scope: { groupGuid: 'Bbetween' } })).toBe(1)
    })

    it('counts by the address used, or by group', async () => {
      await append(
        aClick({ address: 'sho.rt/a', linkId: 'sho.rt/a', groupGuid: 'Bone' }),
        aClick({ address: 'sho.rt/keyword', linkId: 'sho.rt/a', groupGuid: 'Bone' }),
        aClick({ address: 'sho.rt/A', linkId: 'sho.rt/A', groupGuid: 'Btwo' }),
        aClick({ address: 'sho.rt/global', linkId: '', groupGuid: '' }),
      )
      expect(await total({ scope: { addresses: ['sho.rt/a'] } })).toBe(1)
      expect(await total({ scope: { addresses: ['sho.rt/keyword'] } })).toBe(1)
      expect(await total({ scope: { addresses: ['sho.rt/A'] } })).toBe(1)
      expect(await total({ scope: { addresses: ['sho.rt/global'] } })).toBe(1)
      expect(await total({ scope: { groupGuid: 'Bone' } })).toBe(2)
      expect(await total({ scope: { groupGuid: 'Btwo' } })).toBe(1)
    })

    it('counts 0 for an address or a group it has never seen', async () => {
      await append(aClick())
      expect(await total({ scope: { addresses: ['sho.rt/unknown'] } })).toBe(0)
      expect(await total({ scope: { groupGuid: 'Bunknown' } })).toBe(0)
      expect(await log.count(aQuery({ scope: { addresses: ["'; DROP TABLE clicks; --"] }, ...by('day') }))).toEqual([])
      expect(await log.firstAt(aQuery({ scope: { addresses: ['sho.rt/unknown'] } }))).toBeUndefined()
    })

    it('counts the kinds and traffic classes asked for', async () => {
      await append(
        aClick({ kind: 'click', trafficClass: 'human' }),
        aClick({ kind: 'scan', trafficClass: 'human' }),
        aClick({ kind: 'button', trafficClass: 'bot' }),
        aClick({ kind: 'click', trafficClass: 'preview' }),
        aClick({ kind: 'click', trafficClass: 'prefetch' }),
        aClick({ kind: 'click', trafficClass: 'head' }),
      )
      const all = ['human', 'bot', 'preview', 'prefetch', 'head'] as const
      expect(await total()).toBe(1)
      expect(await total({ kinds: ['click', 'scan', 'button'] })).toBe(2)
      expect(await total({ trafficClasses: all })).toBe(4)
      expect(await total({ kinds: ['scan', 'button'], trafficClasses: ['bot'] })).toBe(1)
      for (const trafficClass of all)
        expect(await total({ kinds: ['click', 'scan', 'button'], trafficClasses: [trafficClass] })).toBeGreaterThan(0)
      expect(await total({ kinds: [] })).toBe(0)
      expect(await total({ trafficClasses: [] })).toBe(0)
    })

    it('counts from the first moment of a window up to but not including its end', async () => {
      const [from, to] = [at('2026-03-01T00:00:00Z'), at('2026-03-02T00:00:00Z')]
      await append(...[from - 1, from, to - 1, to].map((moment) => aClick({ at: moment })))
      expect(await total({ from, to })).toBe(2)
      expect(await total({ from: undefined, to })).toBe(3)
      expect(await total({ from, to: from })).toBe(0)
      expect(await total({ from: undefined, to: Number.POSITIVE_INFINITY })).toBe(4)
    })

    const buckets: readonly (readonly [Unit, Zone, string, string])[] = [
      ['minute', 0, '2026-03-29T01:02:59.999Z', '2026-03-29T01:02:00Z'],
      ['minute', 345, '2026-03-29T01:02:03Z', '2026-03-29T01:02:00Z'],
      ['hour', 0, '2026-03-29T23:59:59Z', '2026-03-29T23:00:00Z'],
      ['hour', 345, '2026-03-29T10:14:59Z', '2026-03-29T09:15:00Z'],
      ['hour', -210, '2026-03-29T10:31:00Z', '2026-03-29T10:30:00Z'],
      ['day', 0, '2026-03-29T23:59:59Z', '2026-03-29T00:00:00Z'],
      ['day', 120, '2026-03-29T22:00:00Z', '2026-03-29T22:00:00Z'],
      ['day', 120, '2026-03-29T21:59:59Z', '2026-03-28T22:00:00Z'],
      ['day', -480, '2026-01-01T07:59:59Z', '2025-12-31T08:00:00Z'],
      ['day', 345, '2026-03-29T18:15:00Z', '2026-03-29T18:15:00Z'],
      ['day', 0, '1969-12-31T23:59:59.999Z', '1969-12-31T00:00:00Z'],
      ['week', 0, '2026-11-15T23:59:59Z', '2026-11-09T00:00:00Z'],
      ['week', 0, '2026-11-16T00:00:00Z', '2026-11-16T00:00:00Z'],
      ['week', -300, '2026-11-16T04:59:59Z', '2026-11-09T05:00:00Z'],
      ['week', 845, '2026-11-15T09:55:00Z', '2026-11-15T09:55:00Z'],
      ['week', 0, '1970-01-01T00:00:00Z', '1969-12-29T00:00:00Z'],
      ['week', 0, '1969-12-28T23:59:59Z', '1969-12-22T00:00:00Z'],
      ['month', 0, '2024-02-29T23:59:59.999Z', '2024-02-01T00:00:00Z'],
      ['month', 0, '2024-03-01T00:00:00Z', '2024-03-01T00:00:00Z'],
      ['month', 0, '2023-02-28T23:59:59Z', '2023-02-01T00:00:00Z'],
      ['month', 0, '2026-12-31T23:59:59Z', '2026-12-01T00:00:00Z'],
      ['month', 60, '2026-04-30T23:00:00Z', '2026-04-30T23:00:00Z'],
      ['month', -300, '2024-03-01T04:59:59Z', '2024-02-01T05:00:00Z'],
      ['month', 345, '2026-01-31T18:14:59Z', '2025-12-31T18:15:00Z'],
      ['month', 0, '1969-02-15T12:00:00Z', '1969-02-01T00:00:00Z'],
      ['day', 'Europe/Berlin', '2026-03-29T21:59:59Z', '2026-03-28T23:00:00Z'],
      ['day', 'Europe/Berlin', '2026-03-29T22:00:00Z', '2026-03-29T22:00:00Z'],
      ['day', 'Europe/Berlin', '2026-10-25T22:59:59Z', '2026-10-24T22:00:00Z'],
      ['week', 'America/New_York', '2026-03-09T03:59:59Z', '2026-03-02T05:00:00Z'],
      ['month', 'America/New_York', '2026-04-01T03:59:59Z', '2026-03-01T05:00:00Z'],
      ['hour', 'Asia/Kathmandu', '2026-03-29T10:14:59Z', '2026-03-29T09:15:00Z'],
      ['hour', 'Europe/Berlin', '2026-10-25T01:30:00Z', '2026-10-25T01:00:00Z'],
      ['hour', 'Australia/Lord_Howe', '2026-04-04T15:10:00Z', '2026-04-04T15:00:00Z'],
      ['hour', 'Australia/Lord_Howe', '2026-04-04T15:40:00Z', '2026-04-04T15:30:00Z'],
      ['day', 'America/Sao_Paulo', '2018-11-04T03:00:00Z', '2018-11-04T03:00:00Z'],
      ['day', 'America/St_Johns', '2010-11-07T02:45:00Z', '2010-11-07T02:30:00Z'],
    ]
    it.each(buckets)('puts a click into its %s at offset %s: %s begins %s', async (unit, zone, moment, start) => {
      await append(aClick({ at: at(moment) }))
      expect(await log.count(aQuery(by(unit, zone)))).toEqual([{ start: at(start), values: [], count: 1 }])
    })

    it('leaves out empty buckets and counts the others', async () => {
      await append(
        ...['2026-03-01T10:00:00Z', '2026-03-03T00:00:00Z', '2026-03-03T23:00:00Z'].map((m) => aClick({ at: at(m) })),
      )
      expect(await log.count(aQuery(by('day')))).toEqual([
        { start: at('2026-03-03T00:00:00Z'), values: [], count: 2 },
        { start: at('2026-03-01T00:00:00Z'), values: [], count: 1 },
      ])
    })

    const splits: readonly (readonly [Name, string])[] = allDimensions
      .filter(({ name }) => name !== 'groupGuid')
      .map(({ name, codes }) => [name, codes?.[1] ?? `another ${name}, Größe 千`])
    const everything = {
      scope: { groupGuid: 'Bgroup' },
      kinds: ['click', 'scan', 'button'],
      trafficClasses: ['human', 'bot', 'preview', 'prefetch', 'head'],
    } satisfies Partial<MetricsQuery>
    it.each(splits)('splits by %s', async (dimension, value) => {
      const difference = { [dimension]: value }
      await append(aClick(), aClick(difference), aClick(difference))
      const rows = await log.count(aQuery({ ...everything, by: [dimension] }))
      expect(rows.map((found) => found.count)).toEqual([2, 1])
      expect(rows[0]).toEqual({ start: 0, values: [value], count: 2 })
    })

    it('splits by several dimensions at once, in the order asked for', async () => {
      await append(
        aClick({ at: at('2026-03-01T10:00:00Z'), country: 'DE', city: 'Ulm' }),
        aClick({ at: at('2026-03-01T11:00:00Z'), country: 'DE', city: 'Ulm' }),
        aClick({ at: at('2026-03-02T10:00:00Z'), country: 'DE', city: '' }),
      )
      expect(await log.count(aQuery({ ...by('day'), by: ['city', 'time', 'country'] }))).toEqual([
        { start: at('2026-03-01T00:00:00Z'), values: ['Ulm', 'DE'], count: 2 },
        { start: at('2026-03-02T00:00:00Z'), values: ['', 'DE'], count: 1 },
      ])
    })

    it('puts the biggest rows first, equal ones by value, and gives as many as asked for', async () => {
      const cities = ['b', 'a', 'a', 'Z', 'é', 'c', 'c', 'c']
      await append(...cities.map((city) => aClick({ city })))
      const rows = async (size: number | undefined) =>
        (await log.count(aQuery({ by: ['city'], size }))).map(({ values, count }) => `${values[0]} ${count}`)
      expect(await rows(undefined)).toEqual(['c 3', 'a 2', 'Z 1', 'b 1', 'é 1'])
      expect(await rows(3)).toEqual(['c 3', 'a 2', 'Z 1'])
    })

    it('tells the biggest rows by all of their parts, with the biggest parts of each', async () => {
      const from = (domain: string, page: string, times = 1) =>
        Array.from({ length: times }, () => aClick({ referrerDomain: domain, referrer: `https://${domain}/${page}` }))
      const pages = Array.from({ length: 6 }, (_, page) => from('many.example', String(page)))
      await append(
        ...pages.flat(),
        ...from('few.example', 'a', 4),
        ...from('few.example', 'b'),
        ...from('one.example', 'a', 2),
      )
      await append(...from('many.example', '5'), aClick({ groupGuid: 'Bother', address: 'sho.rt/other' }))
      const nested = (size: number, parts: number) =>
        log.countNested({ ...aNestedQuery(), size, parts: { by: 'referrer', size: parts } })
      expect(await nested(2, 2)).toEqual([
        row('many.example', 7, [
          ['5', 2],
          ['0', 1],
        ]),
        row('few.example', 5, [
          ['a', 4],
          ['b', 1],
        ]),
      ])
      expect(await nested(9, 1)).toEqual([
        row('many.example', 7, [['5', 2]]),
        row('few.example', 5, [['a', 4]]),
        row('one.example', 2, [['a', 2]]),
      ])
      expect((await nested(1, 100))[0]?.parts).toHaveLength(6)

      function row(domain: string, count: number, parts: readonly (readonly [page: string, count: number])[]) {
        return {
          value: domain,
          count,
          parts: parts.map(([page, each]) => ({ value: `https://${domain}/${page}`, count: each })),
        }
      }
    })

    it('counts a visitor once in a row and once in each of its parts', async () => {
      const visit = (referrer: string, visitorHash: bigint) => aClick({ referrerDomain: 'a', referrer, visitorHash })
      await append(visit('a/1', 1n), visit('a/1', 1n), visit('a/2', 1n), visit('a/2', 2n))
      expect(await log.countNested({ ...aNestedQuery(), measure: 'visitors' })).toEqual([
        {
          value: 'a',
          count: 2,
          parts: [
            { value: 'a/2', count: 2 },
            { value: 'a/1', count: 1 },
          ],
        },
      ])
      expect(await log.countNested({ ...aNestedQuery(), scope: { groupGuid: 'Bunknown' } })).toEqual([])
    })

    it('leaves out as many of the biggest rows as are to be skipped', async () => {
      await append(...['a', 'b', 'b', 'c', 'c', 'd'].map((back) => aClick({ address: `sho.rt/${back}` })))
      const rows = async (skip: number, size: number | undefined) => {
        const query = aQuery({ scope: { groupGuid: 'Bgroup' }, by: ['address'], size, skip })
        return (await log.count(query)).map(({ values, count }) => `${values[0]} ${count}`)
      }
      expect(await rows(0, 3)).toEqual(['sho.rt/b 2', 'sho.rt/c 2', 'sho.rt/a 1'])
      expect(await rows(1, 2)).toEqual(['sho.rt/c 2', 'sho.rt/a 1'])
      expect(await rows(3, 9)).toEqual(['sho.rt/d 1'])
      expect(await rows(4, 9)).toEqual([])
    })

    it('counts sets of addresses, each as one, while they belonged to a group', async () => {
      await append(
        aClick({ address: 'sho.rt/a', visitorHash: 1n }),
        aClick({ address: 'sho.rt/word', visitorHash: 1n }),
        aClick({ address: 'sho.rt/word', visitorHash: 2n }),
        aClick({ address: 'sho.rt/word', groupGuid: 'Bbefore', visitorHash: 3n }),
        aClick({ address: 'sho.rt/b', kind: 'scan' }),
        aClick({ address: 'sho.rt/c' }),
      )
      const sets = [['sho.rt/b'], ['sho.rt/a', 'sho.rt/word'], [], ['sho.rt/never', 'sho.rt/c']]
      const { kinds, trafficClasses, from, to, measure } = aQuery()
      const query = { kinds, trafficClasses, from, to, measure, groupGuid: 'Bgroup', sets }
      expect(await log.countSets(query)).toEqual([0, 3, 0, 1])
      expect(await log.countSets({ ...query, kinds: ['click', 'scan'] })).toEqual([1, 3, 0, 1])
      expect(await log.countSets({ ...query, measure: 'visitors' })).toEqual([0, 2, 0, 1])
      expect(await log.countSets({ ...query, groupGuid: 'Bbefore' })).toEqual([0, 1, 0, 0])
      expect(await log.countSets({ ...query, groupGuid: 'Bunknown' })).toEqual([0, 0, 0, 0])
      expect(await log.countSets({ ...query, to: 0 })).toEqual([0, 0, 0, 0])
      expect(await log.countSets({ ...query, sets: [] })).toEqual([])
    })

    it('counts sets of thousands of addresses', async () => {
      const addresses = Array.from({ length: 25_000 }, (_, number) => `sho.rt/${number}`)
      await append(...addresses.map((address) => aClick({ address })))
      const sets = [addresses.slice(0, 1_000), ...addresses.slice(1_000).map((address) => [address])]
      const { kinds, trafficClasses, from, to, measure } = aQuery()
      const counts = await log.countSets({ kinds, trafficClasses, from, to, measure, groupGuid: 'Bgroup', sets })
      expect(counts).toEqual([1_000, ...addresses.slice(1_000).map(() => 1)])
    })

    it('counts several addresses together, and an address in every group it belonged to', async () => {
      await append(
        aClick({ address: 'sho.rt/a', groupGuid: 'Bone' }),
        aClick({ address: 'sho.rt/a', groupGuid: 'Btwo' }),
        aClick({ address: 'sho.rt/b', groupGuid: 'Btwo' }),
        aClick({ address: 'sho.rt/c', groupGuid: 'Btwo' }),
      )
      expect(await total({ scope: { addresses: ['sho.rt/a'] } })).toBe(2)
      await append(aClick({ address: 'sho.rt/a', groupGuid: 'Bthree' }))
      expect(await total({ scope: { addresses: ['sho.rt/a'] } })).toBe(3)
      expect(await total({ scope: { addresses: ['sho.rt/a', 'sho.rt/b', 'sho.rt/unknown'] } })).toBe(4)
      expect(await total({ scope: { addresses: [] } })).toBe(0)
      const rows = await log.count(aQuery({ scope: { addresses: ['sho.rt/a', 'sho.rt/b'] }, by: ['address'] }))
      expect(rows.map(({ values, count }) => [...values, count])).toEqual([
        ['sho.rt/a', 3],
        ['sho.rt/b', 1],
      ])
    })

    it('counts the days of several addresses at once, whichever groups they belonged to', async () => {
      const day = 86_400_000
      const start = now - (now % day) - day
      await append(
        aClick({ address: 'sho.rt/a', at: start }),
        aClick({ address: 'sho.rt/a', groupGuid: 'Btwo', at: start + day - 1 }),
        aClick({ address: 'sho.rt/a', at: start - 1 }),
        aClick({ address: 'sho.rt/b', at: start }),
        aClick({ address: 'sho.rt/c', at: start }),
      )
      const scope = { addresses: ['sho.rt/a', 'sho.rt/b', 'sho.rt/unknown'] }
      const bucket = { unit: 'day', zone: 0 } as const
      const rows = await log.count(aQuery({ scope, by: ['time', 'address'], bucket }))
      expect(rows.map(({ start: at, values, count }) => [(at - start) / day, ...values, count])).toEqual([
        [0, 'sho.rt/a', 2],
        [-1, 'sho.rt/a', 1],
        [0, 'sho.rt/b', 1],
      ])
    })

    it('counts different visitors', async () => {
      await append(
        ...[1n, 1n, 2n, 2n ** 64n - 1n].map((visitorHash) => aClick({ visitorHash })),
        aClick({ visitorHash: 1n, city: 'Ulm' }),
      )
      expect(await total({ measure: 'visitors' })).toBe(3)
      const rows = await log.count(aQuery({ measure: 'visitors', by: ['city'] }))
      expect(rows.map(({ values, count }) => [...values, count])).toEqual([
        ['Berlin', 3],
        ['Ulm', 1],
      ])
      expect(await total({ measure: 'visitors', scope: { addresses: ['sho.rt/unknown'] } })).toBe(0)
    })

    it('answers the same while it is tidied', async () => {
      const moments = Array.from({ length: 900 }, (_, index) => at('2026-03-01T00:00:00Z') + index * 61_000)
      await append(...moments.map((moment, index) => aClick({ at: moment, address: `sho.rt/${index % 7}` })))
      const ask = () => log.count(aQuery({ ...everything, ...by('hour'), by: ['time', 'address'] }))
      const before = await ask()
      for (let more = true; more; ) {
        const [answer, , again] = await Promise.all([ask(), append(aClick({ groupGuid: 'Bother' })), log.compact(now)])
        expect(answer).toEqual(before)
        more = again
      }
      expect(await ask()).toEqual(before)
      expect(await total({ scope: { groupGuid: 'Bother' } })).toBe(row - 1)
    })

    it('knows when the first click of these kinds and traffic classes happened', async () => {
      await append(
        aClick({ at: 3_000 }),
        aClick({ at: -1_000, trafficClass: 'bot' }),
        aClick({ at: 2_000, kind: 'scan' }),
        aClick({ at: 1_000, address: 'sho.rt/other', groupGuid: 'Bother' }),
      )
      expect(await log.firstAt(aQuery())).toBe(3_000)
      expect(await log.firstAt(aQuery({ kinds: ['click', 'scan'] }))).toBe(2_000)
      expect(await log.firstAt(aQuery({ trafficClasses: ['human', 'bot'] }))).toBe(-1_000)
      expect(await log.firstAt(aQuery({ kinds: ['button'] }))).toBeUndefined()
    })

    it('keeps everything when it is closed and opened again', async () => {
      await append(aClick({ at: 1_000 }), aClick({ at: 2_000, address: 'sho.rt/b' }))
      await log.close()
      log = await open()
      expect(await log.cursor('journal')).toBe(1)
      await append(aClick({ at: 3_000 }))
      expect(await total()).toBe(2)
      expect(await total({ scope: { addresses: ['sho.rt/b'] } })).toBe(1)
      expect(await total({ scope: { groupGuid: 'Bgroup' } })).toBe(3)
    })

    it('takes any text a visitor can send', async () => {
      const odd = ['', "it's", 'a\u0000b', '\ud800', '日本語 😀', 'x'.repeat(5_000), '\u001f\u001f']
      await append(...odd.map((text) => aClick({ referrer: text, referrerDomain: text, city: text, browser: text })))
      await append(...odd.map((text) => aClick({ referrer: text, referrerDomain: text, city: text, browser: text })))
      expect(await total()).toBe(odd.length * 2)
    })

    it('shows whole batches only to a query that runs beside appends', async () => {
      const batch = 3_000
      const seen: number[] = []
      let appending = true
      const querying = (async () => {
        while (appending) seen.push(await total())
      })()
      for (let number = 0; number < 8; number++) {
        await append(
          ...Array.from({ length: batch }, (_, index) => aClick({ at: index, referrer: `https://r${index}.example/` })),
        )
      }
      appending = false
      await querying
      expect(await total()).toBe(8 * batch)
      expect(seen.filter((count) => count % batch !== 0)).toEqual([])
      expect(seen).toEqual([...seen].sort((a, b) => a - b))
    })
  })
}

function at(moment: string): number {
  return Date.parse(moment)
}

function by(unit: Unit, zone: Zone = 0) {
  return { by: ['time'], bucket: { unit, zone } } satisfies Partial<MetricsQuery>
}

export const aQuery = sampleOf<MetricsQuery>({
  scope: { addresses: ['sho.rt/a'] },
  kinds: ['click'],
  trafficClasses: ['human'],
  from: undefined,
  to: Date.parse('2100-01-01T00:00:00Z'),
  by: [],
  bucket: undefined,
  size: undefined,
  measure: 'events',
})

function aNestedQuery(): NestedQuery {
  const { scope, kinds, trafficClasses, from, to, measure } = aQuery()
  const parts = { by: 'referrer', size: 10 } as const
  return { scope, kinds, trafficClasses, from, to, measure, by: 'referrerDomain', size: 10, parts }
}

/** A click with the texts of its parts beside its other fields. */
export type FlatClick = Omit<Click, Part> & TextsOf<Part> & Pick<Agent, 'device'>

export function aClick(input: Partial<FlatClick> = {}): Click {
  return clickOf({
    ...emptyTexts,
    eventId: 'journal-1-0',
    at: Date.parse('2026-11-15T12:00:00Z'),
    address: 'sho.rt/a',
    linkId: 'sho.rt/a',
    groupGuid: 'Bgroup',
    destination: 'https://example.com/',
    kind: 'click',
    trafficClass: 'human',
    country: 'DE',
    region: 'Berlin',
    city: 'Berlin',
    device: 'Desktop',
    os: 'Linux',
    browser: 'Firefox',
    referrer: 'direct',
    referrerDomain: 'direct',
    referrerName: 'direct',
    referrerNetwork: 'direct',
    visitorHash: 18_446_744_073_709_551_615n,
    userAgent: '',
    language: '',
    ...input,
  })
}

const emptyTexts = Object.fromEntries(allDimensions.map(({ name }) => [name, ''])) as Record<Name, ''>

function clickOf(flat: FlatClick): Click {
  const texts = (part: Part) => Object.fromEntries(dimensionsOf(part).map(({ name }) => [name, flat[name]]))
  const { eventId, at, address, linkId, groupGuid, destination, kind, trafficClass } = flat
  return {
    eventId,
    at,
    address,
    linkId,
    groupGuid,
    destination,
    kind,
    trafficClass,
    place: texts('place') as Click['place'],
    agent: texts('agent') as unknown as Agent,
    referrer: texts('referrer') as Click['referrer'],
    visitorHash: flat.visitorHash,
    userAgent: flat.userAgent,
    language: flat.language,
  }
}
