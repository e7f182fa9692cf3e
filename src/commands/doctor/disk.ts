/** Free space of the data directory's disk, and how long it lasts if the directory grows on as it has so far. */
import { readdirSync, type Stats, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Finding, ok, warning, wrong } from '../../core/administration/finding.js'

const area = 'disk'
const day = 86_400_000

interface DiskUse {
  readonly free: number
  readonly total: number
  readonly used: number
  /** Milliseconds since the data directory was made; undefined when the file system does not say. */
  readonly age: number | undefined
}

export function examineDisk(dataDir: string, now: number): Finding[] {
  if (!statSync(dataDir, { throwIfNoEntry: false })?.isDirectory()) return []
  const { blocks, bavail, bsize } = statfsSync(dataDir)
  const { bytes, oldest } = sizeOf(dataDir)
  const age = oldest > 0 && oldest < now ? now - oldest : undefined
  return [judgeDisk({ free: bavail * bsize, total: blocks * bsize, used: bytes, age })]
}

/** A new service says little of its growth: before a week has passed only the free space counts. */
export function judgeDisk({ free, total, used, age }: DiskUse): Finding {
  const perDay = age === undefined || age < 7 * day ? 0 : used / (age / day)
  const daysLeft = perDay > 0 ? free / perDay : Number.POSITIVE_INFINITY
  const growth = perDay > 0 ? `, which grew by ${bytesText(perDay)} a day` : ''
  const lasting = daysLeft < 3650 ? `: enough for ${Math.floor(daysLeft)} days` : ''
  const message = `${bytesText(free)} of ${bytesText(total)} are free; the data directory has ${bytesText(used)}${growth}${lasting}.`
  const remedy = 'Free some space, enlarge the disk, or keep single clicks for fewer days with --click-retention.'
  if (free < tooLittle || daysLeft < 7) return wrong(area, message, remedy)
  if (free < little || free < total * 0.1 || daysLeft < 60) return warning(area, message, remedy)
  return ok(area, message)
}

/** Below it, SQLite and DuckDB may fail to write. */
const tooLittle = 256 * 2 ** 20
const little = 2 * 2 ** 30

function sizeOf(folder: string): { bytes: number; oldest: number } {
  let bytes = 0
  let oldest = Number.POSITIVE_INFINITY
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    // Files may go while this runs.
    const entry: Stats | undefined = statSync(join(folder, name), { throwIfNoEntry: false })
    if (!entry?.isFile()) continue
    bytes += entry.size
    if (entry.birthtimeMs > 0) oldest = Math.min(oldest, entry.birthtimeMs)
  }
  return { bytes, oldest: Number.isFinite(oldest) ? oldest : 0 }
}

function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${(bytes / 1000 ** step).toFixed(step > 2 ? 1 : 0)} ${units[step]}`
}
