/** Parses the arguments that all reports share into the same window as in v4 (docs/api/v3.md#windows). */

import { bucketLimit, parseWindow, units as unitNames, type Window } from '../../core/values/window.js'
import type { Zone } from '../../core/values/zone.js'
import type { Arguments } from './arguments.js'
import { invalidArgument } from './errors.js'

export interface ReportWindow {
  readonly window: Window
  /** As the caller sent them. */
  readonly unit: string
  readonly units: number
  /** Epoch seconds, or null. */
  readonly referenceTs: number | null
  readonly limit: number
}

const maxMinutes = 60

export function readWindow(args: Arguments, now: number, preset = { units: -1 }): ReportWindow {
  // Old clients send mweek for week.
  const unit = args.oneOf('unit', [...unitNames, 'mweek']) ?? 'day'
  const isMinute = unit === 'minute'
  const units = args.integer('units', -1, isMinute ? maxMinutes : bucketLimit) ?? preset.units
  const referenceTs = readReference(args)
  // v3 never offered minutes beyond the last hour.
  if (isMinute && referenceTs !== null) throw invalidArgument('unit')
  const input = {
    unit: unit === 'mweek' ? 'week' : unit,
    // units=-1 (all) means the last 60 minutes, the maximum for this unit.
    units: isMinute && units === -1 ? maxMinutes : units,
    unitReference: referenceTs === null ? undefined : new Date(referenceTs * 1000).toISOString(),
    zone: readZone(args),
  }
  return { window: parseWindow(input, now), unit, units, referenceTs, limit: args.integer('limit', 1, 1000) ?? 100 }
}

/** The unit that contains the timestamp is the last one, as in v4. Rounding up would end the window in the future. */
function readReference(args: Arguments): number | null {
  // Old clients send the word now.
  if (args.text('unit_reference_ts') === 'now') return null
  const sent = args.integer('unit_reference_ts', 0, latest)
  if (sent === undefined) return null
  // Some clients send milliseconds: as seconds they would be after the year 9999.
  return sent > latest / 1000 ? Math.floor(sent / 1000) : sent
}

const latest = Date.UTC(9999, 11, 31)

export const defaultZone = 'America/New_York'

/** Hours from UTC, or a zone name. Old clients send tz_offset. */
function readZone(args: Arguments): Zone {
  // An unencoded plus sign arrives as a space.
  const text = args.text('timezone', 'tz_offset')?.trim() || defaultZone
  if (!/^[+-]?\d+$/.test(text)) return text
  const hours = Number(text)
  if (!(Math.abs(hours) <= 14)) throw invalidArgument('timezone')
  return hours * 60
}
