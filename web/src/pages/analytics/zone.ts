/**
 * Days and hours in a time zone that need not be the browser's. A wall date is a Date whose UTC fields are what the clock
 * on a wall in the zone shows; it is calculated with, and turned back into a moment.
 */
/** Of the person. */
export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone

export function wallOf(moment: Date, zone: string): Date {
  return new Date(moment.getTime() + offsetAt(moment.getTime(), zone))
}

const dayLength = 86_400_000

/** The moment at which the clock shows this: the first of two. One that it skips is as much later, mostly an hour. */
export function momentOf(wall: Date, zone: string): Date {
  const shown = wall.getTime()
  // If the clock still goes as it did the day before.
  const unchanged = shown - offsetAt(shown - dayLength, zone)
  const offset = offsetAt(unchanged, zone)
  const changed = shown - offset
  return new Date(offsetAt(changed, zone) === offset ? changed : unchanged)
}

/** Offsets change at full quarters of an hour only. */
const quarter = 900_000
const offsets = new Map<string, number>()

/** Milliseconds east of UTC. */
function offsetAt(at: number, zone: string): number {
  const since = Math.floor(at / quarter) * quarter
  const key = `${zone} ${since}`
  const offset = offsets.get(key) ?? readOffset(since, zone)
  offsets.set(key, offset)
  return offset
}

function readOffset(at: number, zone: string): number {
  const shown: Record<string, number> = {}
  for (const { type, value } of clockIn(zone).formatToParts(at)) shown[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
  return Date.UTC(year, month - 1, day, hour, minute, second) - at
}

const clocks = new Map<string, Intl.DateTimeFormat>()

function clockIn(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known) return known
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  clocks.set(timeZone, clock)
  return clock
}
