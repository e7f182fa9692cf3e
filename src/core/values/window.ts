/**
 * Time windows of metrics: `units` buckets of `unit`, the last one containing `unit_reference`. Buckets are aligned to
 * the named time zone, or else to the UTC offset of `unit_reference`; weeks start on Monday. Knows nothing of clicks.
 */
import { invalid, type Refusal } from './refusal.js'
import { parseTimestamp } from './time.js'
import { isZoneName, spansWithin, type Zone } from './zone.js'
import { bucketAt, bucketRule, stepMonths, type Unit } from './zone-buckets.js'

export const units: readonly Unit[] = ['minute', 'hour', 'day', 'week', 'month']

export interface WindowInput {
  readonly unit: string | undefined
  readonly units: number | undefined
  readonly unitReference: string | undefined
  /** A time zone name or an offset in minutes; the default is the offset of `unitReference`. */
  readonly zone?: Zone | undefined
}

export interface Window {
  readonly unit: Unit
  /** As requested; -1 means all of history. */
  readonly units: number
  readonly reference: number
  readonly zone: Zone
}

/** The buckets of a window: newest first, contiguous, from `from` (inclusive) to `to` (exclusive). */
export interface Buckets {
  readonly starts: readonly number[]
  readonly from: number
  readonly to: number
}

// Five weeks of minutes; a response of this size is about 3 MB.
export const bucketLimit = 50_000

/** Defaults (docs/api/metrics.md#the-window): unit day, units -1, unit_reference now. An empty value means the default. */
export function parseWindow(input: WindowInput, now: number): Window {
  const unit = units.find((known) => known === (input.unit || 'day'))
  if (!unit) throw invalid('unit', `The unit must be one of ${units.join(', ')}.`)
  const count = input.units ?? -1
  if (!Number.isInteger(count) || count === 0 || count < -1 || count > bucketLimit) {
    throw invalid('units', `The number of units must be -1 (all) or between 1 and ${bucketLimit}.`)
  }
  const reference = input.unitReference ? parseTimestamp(input.unitReference) : { at: now, offsetMinutes: 0 }
  if (!reference) {
    throw invalid('unitReference', 'The unit reference must look like 2026-01-31T23:59:59+0000.')
  }
  if (typeof input.zone === 'string' && input.zone !== '' && !isZoneName(input.zone)) {
    throw invalid('zone', `There is no time zone "${input.zone}". Use a name such as Europe/Berlin.`)
  }
  const window = {
    unit,
    units: count,
    reference: reference.at,
    zone: input.zone === '' ? reference.offsetMinutes : (input.zone ?? reference.offsetMinutes),
  }
  if (unit === 'month' && stepMonths(window.reference, 1 - count) < yearOne) {
    throw invalid('units', 'The window would begin before the year 1. Request fewer units.')
  }
  return window
}

/**
 * The buckets of a window; with `units` -1 it reaches back to the bucket that contains `earliest`. Throws when there are
 * too many buckets: a silently shortened series would not add up to the total of the same window.
 */
export function bucketsOf(window: Window, earliest: number): Buckets {
  const buckets = listBuckets(window, earliest)
  if (!buckets) throw tooManyBuckets(window, earliest)
  return buckets
}

/** Counts timestamps per bucket, newest bucket first; with `units` -1 the series starts at the first timestamp. */
export function countMoments(
  window: Window,
  moments: readonly number[],
): readonly { readonly start: number; readonly count: number }[] {
  const earliest = moments.reduce((least, at) => Math.min(least, at), window.reference)
  const { starts } = bucketsOf(window, earliest)
  const rule = bucketRule(window)
  const counts = new Map(starts.map((start) => [start, 0]))
  for (const at of moments) {
    const { start } = bucketAt(rule, at)
    const before = counts.get(start)
    if (before !== undefined) counts.set(start, before + 1)
  }
  return starts.map((start) => ({ start, count: counts.get(start) ?? 0 }))
}

function listBuckets(window: Window, earliest: number): Buckets | undefined {
  const rule = bucketRule(window)
  const newest = bucketAt(rule, window.reference)
  const all = window.units === -1
  const first = all ? bucketAt(rule, earliest).start : Number.NEGATIVE_INFINITY
  const wanted = all ? Number.POSITIVE_INFINITY : window.units
  const starts = [newest.start]
  let from = newest.start
  while (starts.length < wanted && from > first) {
    if (starts.length === bucketLimit) return undefined
    from = bucketAt(rule, from - 1).start
    starts.push(from)
  }
  return { starts, from, to: newest.end }
}

function tooManyBuckets(window: Window, earliest: number): Refusal {
  const { unit } = window
  const found = `Since ${new Date(earliest).toISOString().slice(0, 'YYYY-MM-DD'.length)} there are more than ${bucketLimit} units of ${unit}.`
  const larger = units.slice(units.indexOf(unit) + 1)
  const fits = larger.find((each) => listBuckets({ ...window, unit: each }, earliest))
  if (fits === undefined) return invalid('units', `${found} Request 1 to ${bucketLimit} units.`)
  return invalid('unit', `${found} The smallest unit that fits is ${fits}; or request 1 to ${bucketLimit} units.`)
}

/** The UTC offset of the window's zone at its reference, in minutes. */
export function offsetOf({ zone, reference }: Window): number {
  const spans = spansWithin(zone, reference, reference + 1)
  return (spans.findLast((span) => span.from <= reference)?.offset ?? 0) / 60_000
}

/** The end (exclusive) of the bucket that contains the reference. */
export function endOf(window: Window): number {
  return bucketAt(bucketRule(window), window.reference).end
}

const yearOne = Date.parse('0001-01-01T00:00:00Z')
