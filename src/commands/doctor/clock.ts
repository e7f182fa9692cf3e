/** Whether the clock is right: compared with the servers that the service uses, and with its own files. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Finding, ok, warning, wrong } from '../../core/administration/finding.js'
import type { StreamStore } from '../../core/stream/stream-store.js'
import type { EngineState } from './engines.js'

const area = 'clock'
const remedy = 'Set the clock by NTP on every machine: systemd-timesyncd, chrony or ntpd.'

export function examineClock(dataDir: string, engines: readonly EngineState[], now: number): Finding[] {
  const compared = engines.flatMap(({ name, clockOffset }) =>
    clockOffset === undefined ? [] : [{ name, clockOffset }],
  )
  const findings = [...fromFiles(newestIn(dataDir), now), ...compared.flatMap((engine) => judgeOffset(engine))]
  if (findings.length > 0) return findings
  if (compared.length > 0) {
    return [ok(area, `It agrees with ${compared.map(({ name }) => name).join(' and ')}.`)]
  }
  if (existsSync('/run/systemd/timesync/synchronized')) return [ok(area, 'It is synchronized by systemd-timesyncd.')]
  return [ok(area, `${new Date(now).toISOString()}; there is no other clock to compare it with.`)]
}

/** A clock that went back puts new clicks before old ones, and tokens may be valid for too long. */
function fromFiles(newest: number, now: number): Finding[] {
  if (newest < now + tolerance) return []
  const at = new Date(newest).toISOString()
  return [
    wrong(area, `A file in the data directory is from ${at}, which is in the future: the clock went back.`, remedy),
  ]
}

export interface TimedRecords {
  readonly streamStore: Pick<StreamStore, 'newLinks'>
  /** Undefined while the service is stopped. */
  readonly clickLog?: { newestAfter(time: number): Promise<number | undefined> }
}

/** A clock that was ahead left links and clicks with times that have not come yet. Both questions read an index. */
export async function examineFuture({ streamStore, clickLog }: TimedRecords, now: number): Promise<Finding[]> {
  const from = now + tolerance
  const links = await streamStore.newLinks({ createdAt: from, id: '' }, Number.MAX_SAFE_INTEGER, mostLinks)
  const click = await clickLog?.newestAfter(from)
  const at = (time: number) => new Date(time).toISOString()
  const newest = links.at(-1)
  const number = links.length < mostLinks ? links.length : `at least ${mostLinks}`
  return [
    ...(newest
      ? [warning(area, `Links from the future: ${number}, until ${at(newest.createdAt)}. ${cause}`, ofLinks)]
      : []),
    ...(click === undefined ? [] : [warning(area, `Clicks from the future, until ${at(click)}. ${cause}`, ofClicks)]),
  ]
}

const tolerance = 60_000
const mostLinks = 1000
const cause = 'The clock was ahead when they came.'
const ofLinks = `They redirect, and are first in lists until then. ${remedy}`
const ofClicks = `They are stored, and reports count them when that time has come. ${remedy}`

export function judgeOffset({ name, clockOffset }: { name: string; clockOffset: number }): Finding[] {
  const seconds = Math.abs(clockOffset) / 1000
  if (seconds < 2) return []
  const message = `It differs by ${seconds.toFixed(1)} seconds from that of ${name}.`
  return [seconds < 30 ? warning(area, message, remedy) : wrong(area, message, remedy)]
}

function newestIn(dataDir: string): number {
  if (!statSync(dataDir, { throwIfNoEntry: false })?.isDirectory()) return 0
  const times = readdirSync(dataDir).map(
    (name) => statSync(join(dataDir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  )
  return Math.max(0, ...times)
}
