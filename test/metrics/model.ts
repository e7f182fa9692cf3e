/**
 * The expected results of a click log, computed in the simplest way: check every click, and use the runtime's
 * calendar for each. Shares no code with the logs, not even the bucket arithmetic.
 */
import { type Click, textOf } from '../../src/core/clicks/click.js'
import type { Name } from '../../src/core/clicks/dimensions.js'
import type {
  MetricsQuery,
  MetricsRow,
  NestedQuery,
  NestedRow,
  SetsQuery,
} from '../../src/core/clicks/metrics-query.js'
import type { Bucketing } from '../../src/core/values/zone-buckets.js'

export function expected(clicks: readonly Click[], query: MetricsQuery): readonly MetricsRow[] {
  const found = clicks.filter((click) => isCounted(click, query))
  const rows = new Map<string, { start: number; values: readonly string[]; clicks: Click[] }>()
  if (query.by.length === 0) rows.set('', { start: 0, values: [], clicks: [] })
  for (const click of found) {
    const start = query.by.includes('time') && query.bucket ? startOf(click.at, query.bucket) : 0
    const values = query.by.flatMap((dimension) => (dimension === 'time' ? [] : [textOf(click, dimension)]))
    const id = query.by.length === 0 ? '' : JSON.stringify([start, values])
    const row = rows.get(id)
    if (row) row.clicks.push(click)
    else rows.set(id, { start, values, clicks: [click] })
  }
  const counted = [...rows.values()].map(
    (row): MetricsRow => ({
      start: row.start,
      values: row.values,
      count: query.measure === 'events' ? row.clicks.length : new Set(row.clicks.map((c) => c.visitorHash)).size,
    }),
  )
  if (query.size === undefined) return counted.sort(byCount)
  const { skip = 0, size } = query
  return counted.sort(byCount).slice(skip, skip + size)
}

/** Each row first, then each of its parts, as if requested one by one. */
export function expectedNested(
  clicks: readonly Click[],
  { by, size, parts, ...query }: NestedQuery,
): readonly NestedRow[] {
  const rows = (of: readonly Click[], name: Name, most: number) =>
    expected(of, { ...query, by: [name], bucket: undefined, size: most }).map(({ values: [value = ''], count }) => ({
      value,
      count,
    }))
  return rows(clicks, by, size).map((row) => {
    const own = clicks.filter((click) => textOf(click, by) === row.value)
    return { ...row, parts: rows(own, parts.by, parts.size) }
  })
}

/** Each set as if its clicks were the only ones. */
export function expectedSets(clicks: readonly Click[], { groupGuid, sets, ...query }: SetsQuery): readonly number[] {
  return sets.map((set) => {
    const own = clicks.filter(({ address }) => set.includes(address))
    const [row] = expected(own, { ...query, scope: { groupGuid }, by: [], bucket: undefined, size: undefined })
    return row?.count ?? 0
  })
}

function isCounted(click: Click, query: MetricsQuery): boolean {
  const { scope, kinds, trafficClasses, from, to } = query
  const inScope =
    'addresses' in scope
      ? scope.addresses.includes(click.address)
      : ('groupGuids' in scope ? scope.groupGuids : [scope.groupGuid]).includes(click.groupGuid)
  const inTime = click.at >= (from ?? Number.NEGATIVE_INFINITY) && click.at < to
  const matches = (query.filters ?? []).every(
    ({ by, operator, values }) => values.includes(textOf(click, by)) === (operator === 'is'),
  )
  return inScope && inTime && matches && kinds.includes(click.kind) && trafficClasses.includes(click.trafficClass)
}

function byCount(a: MetricsRow, b: MetricsRow): number {
  if (a.count !== b.count) return b.count - a.count
  if (a.start !== b.start) return a.start - b.start
  const different = a.values.findIndex((value, index) => value !== b.values[index])
  return different === -1
    ? 0
    : Buffer.compare(Buffer.from(a.values[different] ?? ''), Buffer.from(b.values[different] ?? ''))
}

const minute = 60_000
const quarter = 15 * minute
const hour = 60 * minute
const day = 24 * hour
const remembered = new Map<string, number>()

export function startOf(at: number, { unit, zone }: Bucketing): number {
  if (unit === 'minute') return Math.floor(at / minute) * minute
  const id = `${Math.floor(at / minute)} ${unit} ${zone}`
  const start = remembered.get(id) ?? findStart(Math.floor(at / minute) * minute, unit, zone)
  remembered.set(id, start)
  return start
}

/** Steps back to the start of the bucket. */
function findStart(at: number, unit: Exclude<Bucketing['unit'], 'minute'>, zone: Bucketing['zone']): number {
  if (unit === 'hour') return findHour(at, zone)
  const name = (moment: number) => bucketName(wallClock(moment, zone), unit)
  const mine = name(at)
  let start = at - (at % quarter)
  // A bucket is contiguous: if it had begun a day earlier, it covers the whole day. Without such large steps, a month
  // in a time zone would need three thousand calendar lookups.
  for (const stride of [day, hour, quarter]) {
    while (name(start - stride) === mine) start -= stride
  }
  return start
}

/** The clock may show an hour twice (in autumn): then each is a separate bucket. */
function findHour(at: number, zone: Bucketing['zone']): number {
  const mine = bucketName(wallClock(at, zone), 'hour')
  let start = at
  let wall = wallClock(start, zone)
  for (;;) {
    const before = wallClock(start - minute, zone)
    const clockJumps = (before.minute + 1) % 60 !== wall.minute
    if (bucketName(before, 'hour') !== mine || wall.minute === 0 || clockJumps) return start
    start -= minute
    wall = before
  }
}

interface WallClock {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
}

function bucketName(wall: WallClock, unit: Bucketing['unit']): string {
  const date = Date.UTC(wall.year, wall.month - 1, wall.day)
  if (unit === 'month') return `${wall.year}-${wall.month}`
  if (unit === 'week') return String(date - ((new Date(date).getUTCDay() + 6) % 7) * 1440 * minute)
  return unit === 'day' ? String(date) : `${date} ${wall.hour}`
}

const formats = new Map<string, Intl.DateTimeFormat>()

function wallClock(at: number, zone: Bucketing['zone']): WallClock {
  if (typeof zone === 'number') {
    const date = new Date(at + zone * minute)
    return {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
    }
  }
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  formats.set(zone, format)
  // 2026-03-29 01:30
  const [year = 0, month = 0, day = 0, hour = 0, minutes = 0] = format.format(at).split(/\D/).map(Number)
  return { year, month, day, hour, minute: minutes }
}
