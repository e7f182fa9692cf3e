/** The arguments that all reports share, read into the same window as v4's (docs/api/v3.md#windows). */

import { bucketLimit, parseWindow, units as unitNames, type Window } from '../../core/values/window.js'
import type { Zone } from '../../core/values/zone.js'
import type { Arguments } from './arguments.js'
import { invalidArgument } from './errors.js'

export interface WindowAsked {
  readonly window: Window
  /** As they were asked for. */
  readonly unit: string
  readonly units: number
  /** Epoch seconds; null when none was given. */
  readonly referenceTs: number | null
  readonly limit: number
}

const mostMinutes = 60

export function readWindow(args: Arguments, now: number, preset = { units: -1 }): WindowAsked {
  // An old client calls weeks mweek.
  const unit = args.oneOf('unit', [...unitNames, 'mweek']) ?? 'day'
  const isMinute = unit === 'minute'
  const units = args.integer('units', -1, isMinute ? mostMinutes : bucketLimit) ?? preset.units
  const referenceTs = readReference(args)
  // What is older than an hour was kept by the hour.
  if (isMinute && referenceTs !== null) throw invalidArgument('unit')
  const input = {
    unit: unit === 'mweek' ? 'week' : unit,
    // Our choice: all minutes are the last sixty.
    units: isMinute && units === -1 ? mostMinutes : units,
    unitReference: referenceTs === null ? undefined : new Date(referenceTs * 1000).toISOString(),
    zone: readZone(args),
  }
  return { window: parseWindow(input, now), unit, units, referenceTs, limit: args.integer('limit', 1, 1000) ?? 100 }
}

/**
 * Our choice: the unit that holds it is the last one, as in v4; rounded up it would show a time that is yet to come.
 */
function readReference(args: Arguments): number | null {
  // An old client writes the word.
  if (args.text('unit_reference_ts') === 'now') return null
  return args.integer('unit_reference_ts', 0, Date.UTC(9999, 11, 31) / 1000) ?? null
}

export const defaultZone = 'America/New_York'

/** A whole number of hours, or a name. An old client calls it tz_offset. */
function readZone(args: Arguments): Zone {
  // A plus sign that was left unencoded arrives as a space.
  const text = args.text('timezone', 'tz_offset')?.trim() || defaultZone
  if (!/^[+-]?\d+$/.test(text)) return text
  const hours = Number(text)
  if (!(Math.abs(hours) <= 14)) throw invalidArgument('timezone')
  return hours * 60
}
