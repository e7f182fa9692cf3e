/**
 * Random clicks and queries from a seed, so that failures can be repeated: METRICS_SEED=7 npx vitest run test/metrics
 */
import { type Click, textOf } from '../../src/core/clicks/click.js'
import { aClick, type FlatClick } from '../../src/core/clicks/click-log.contract.js'
import { allDimensions, trafficClasses, visitKinds } from '../../src/core/clicks/dimensions.js'
import type {
  Dimension,
  DimensionFilter,
  MetricsQuery,
  NestedQuery,
  SetsQuery,
} from '../../src/core/clicks/metrics-query.js'
import type { Zone } from '../../src/core/values/zone.js'
import type { Unit } from '../../src/core/values/zone-buckets.js'

export const seed = Number(process.env.METRICS_SEED ?? 20_261_115)

export interface Chance {
  /** Below this number. */
  below(limit: number): number
  of<T>(list: readonly T[]): T
  /** Some of them, each once, in any order. */
  some<T>(list: readonly T[], most?: number): readonly T[]
  yes(share: number): boolean
}

export function chanceFrom(start: number): Chance {
  // mulberry32
  let state = start | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  const of = <T>(list: readonly T[]): T => {
    const chosen = list[below(list.length)]
    if (chosen === undefined) throw new Error('nothing to choose from')
    return chosen
  }
  const some = <T>(list: readonly T[], most = list.length): readonly T[] => {
    const left = [...list]
    return Array.from({ length: below(most + 1) }, () => left.splice(below(left.length), 1)).flat()
  }
  return { below, of, some, yes: (share) => next() < share }
}

export const period = { from: Date.parse('2024-01-20T00:00:00Z'), to: Date.parse('2026-04-10T00:00:00Z') } as const
export const units: readonly Unit[] = ['minute', 'hour', 'day', 'week', 'month']
export const dimensions = allDimensions.map(({ name }) => name)
const zones: readonly Zone[] = [
  ...[0, 60, -300, 345, -210, 840],
  ...['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Africa/Cairo', 'America/Havana'],
]
export const groups = ['Bone', 'Btwo', 'Bthree']
export const addresses = Array.from({ length: 12 }, (_, index) => `sho.rt/${'aAbBcCdDeEfF'[index]}`)

/** Clusters in time: most clicks of a real link come within days, and clock changes need many clicks nearby. */
const busy = ['2024-03-31', '2024-10-27', '2025-03-09', '2025-04-05', '2025-11-02', '2026-03-29'].map((d) =>
  Date.parse(d),
)

export function aRandomClick(chance: Chance, number: number): Click {
  const at = chance.yes(0.5)
    ? chance.of(busy) + chance.below(3 * 86_400_000) - 86_400_000
    : period.from + chance.below(period.to - period.from)
  const which = chance.below(addresses.length)
  return aClick({
    ...someTexts(chance),
    eventId: `journal-${number}-0`,
    at,
    address: addresses[which] ?? '',
    // Every third address is a keyword of its neighbour; a few links changed their group.
    linkId: addresses[which % 3 === 0 ? which + 1 : which] ?? '',
    groupGuid: chance.yes(0.05) ? chance.of(groups) : (groups[which % 3] ?? ''),
    destination: `https://example.com/${chance.below(3)}?from=${which}`,
    kind: chance.yes(0.8) ? 'click' : chance.of(visitKinds),
    trafficClass: chance.yes(0.7) ? 'human' : chance.of(trafficClasses),
    ...chance.of(places),
    device: chance.of(['Desktop', 'Mobile', 'Tablet', 'Other'] as const),
    os: chance.of(['Linux', 'iOS', 'Android', '']),
    browser: chance.of(['Firefox', 'Chrome', "O'Browser"]),
    ...chance.of(referrers),
    visitorHash: BigInt(chance.below(60)) * 300_000_000_000_000_000n,
  })
}

/** Texts for dimensions that mean nothing here. */
function someTexts(chance: Chance): Partial<FlatClick> {
  const texts = allDimensions.map(({ name }) => [name, chance.of(['', `one ${name}`, `Größe ${name}`])])
  return Object.fromEntries(texts) as Partial<FlatClick>
}

const places = [
  { country: 'DE', region: 'Berlin', subregion: '', city: 'Berlin' },
  { country: 'DE', region: 'Baden-Württemberg', subregion: 'Tübingen', city: 'Ulm' },
  { country: 'US', region: 'Ohio', subregion: '', city: 'Berlin' },
  { country: 'JP', region: '東京都', subregion: '', city: '千代田区' },
  { country: '', region: '', subregion: '', city: '' },
]

const referrers = [
  { referrer: 'direct', referrerDomain: 'direct', referrerName: 'direct', referrerNetwork: 'direct' },
  ...Array.from({ length: 6 }, (_, index) => ({
    referrer: `https://l.instagram.com/?u=${index}`,
    referrerDomain: 'l.instagram.com',
    referrerName: 'Instagram',
    referrerNetwork: 'instagram',
  })),
  { referrer: 'https://t.co/x', referrerDomain: 't.co', referrerName: 'X (Twitter)', referrerNetwork: 'twitter' },
  {
    referrer: 'https://é.example/%00',
    referrerDomain: 'é.example',
    referrerName: 'é.example',
    referrerNetwork: 'other',
  },
]

export function aRandomQuery(chance: Chance): MetricsQuery {
  const span = period.to - period.from
  const by = [...chance.some<Dimension>(dimensions, 3)]
  if (chance.yes(0.5)) by.splice(chance.below(by.length + 1), 0, 'time')
  const from = chance.yes(0.3) ? undefined : period.from - 1e9 + chance.below(span)
  return {
    scope: aScope(chance),
    kinds: chance.yes(0.5) ? ['click'] : chance.some(visitKinds),
    trafficClasses: chance.yes(0.5) ? ['human'] : chance.some(trafficClasses),
    ...(chance.yes(0.5) && { filters: chance.some(dimensions, 3).map((by) => aFilter(chance, by)) }),
    from,
    to: (from ?? period.from) + chance.below(1.2 * span),
    by,
    bucket: by.includes('time') ? { unit: chance.of(units), zone: chance.of(zones) } : undefined,
    size: chance.yes(0.6) ? undefined : 1 + chance.below(12),
    ...(by.length > 0 && chance.yes(0.2) && { skip: chance.below(8) }),
    measure: chance.yes(0.7) ? 'events' : 'visitors',
  }
}

export function aRandomNestedQuery(chance: Chance): NestedQuery {
  const { by: _, bucket: __, skip: ___, ...query } = aRandomQuery(chance)
  const parts = { by: chance.of(dimensions), size: 1 + chance.below(6) }
  return { ...query, by: chance.of(dimensions), size: 1 + chance.below(6), parts }
}

/** Some addresses of a group, in sets; a keyword is beside its link. */
export function aRandomSetsQuery(chance: Chance): SetsQuery {
  const { scope: _, by: __, bucket: ___, size: ____, skip: _____, ...query } = aRandomQuery(chance)
  const left = [...chance.some([...addresses, 'sho.rt/unknown'])]
  const sets: string[][] = []
  while (left.length > 0) sets.push(left.splice(0, chance.below(4)))
  return { ...query, groupGuid: chance.of([...groups, 'Bunknown']), sets }
}

/** Values of a click, mixed with values that no click has. */
export function aFilter(chance: Chance, by: DimensionFilter['by']): DimensionFilter {
  const aValue = () => textOf(aRandomClick(chance, 0), by)
  const values = Array.from({ length: 1 + chance.below(4) }, () => (chance.yes(0.8) ? aValue() : chance.of(strange)))
  return { by, operator: chance.yes(0.6) ? 'is' : 'is_not', values }
}

const strange = ['', 'unknown', "'; DROP TABLE clicks; --", 'back\\slash', 'null\u0000byte', '$1', 'Größe 千']

function aScope(chance: Chance): MetricsQuery['scope'] {
  if (chance.yes(0.5)) return { groupGuid: chance.of([...groups, 'Bunknown']) }
  if (chance.yes(0.2)) return { groupGuids: chance.some([...groups, 'Bunknown']) }
  return { addresses: chance.some([...addresses, 'sho.rt/unknown'], 4) }
}
