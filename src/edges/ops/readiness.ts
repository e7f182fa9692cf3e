/** Whether the service can do its work, and what needs attention. */

import type { JournalReport } from '../../core/clicks/click-store.js'
import type { PipelineStatus } from '../../core/clicks/deliver.js'
import { type JournalStatus, rowsWaiting } from '../../core/clicks/journal.js'
import { missingText } from '../../core/clicks/journal-reports.js'
import { explainLost } from '../../core/copies/encrypted-records.js'
import type { LostRows } from '../../core/copies/record-tables.js'
import type { CountersStatus } from '../../core/limits/platform.js'
import type { Stream } from '../../core/stream/stream.js'
import type { Clock } from '../../core/values/time.js'
import type { ServerStatus } from '../../lib/circuit-breaker.js'
import { type ClockJump, jumpText } from '../../lib/clock-watch.js'
import { messageOf } from '../../lib/message-of.js'
import { within } from '../../lib/within.js'
import { backupTroubles, type Schedule } from './backup-figures.js'
import type { RedirectFigureDeps } from './redirect-figures.js'
import { streamTroubles } from './stream-figures.js'

export interface ReadinessDeps {
  readonly clock: Clock
  readonly records: {
    ping(): Promise<void>
    readonly faults: { readonly damage: string | undefined; readonly full: string | undefined } | undefined
  }
  readonly journal: RedirectFigureDeps['journal']
  readonly redirectProcesses: { readonly wanted: number; readonly running: number; readonly restarts: number }
  readonly pipeline: { status(): Promise<PipelineStatus> }
  readonly redirectCache: { readonly isEmpty: boolean }
  readonly platformLimits: { status(): CountersStatus }
  readonly stream: Stream
  /** Servers of others, by name. */
  readonly servers: Readonly<Record<string, { readonly status: ServerStatus }>>
  readonly config: { readonly clickhouseUrl: string | undefined }
  readonly journalReports?: { readonly missing: readonly JournalReport[] } | undefined
  readonly clockWatch?: { readonly jump: ClockJump | undefined }
  readonly clickLogLease: { readonly lost: string | undefined } | undefined
  readonly backupSchedule: Schedule
  lostSecrets(): Promise<readonly LostRows[]>
}

/**
 * `unavailable` (503) when no link can be answered. `degraded` (still 200) when the database is unreachable but known
 * links are served from memory, the journal is not writable, or the click log is unavailable: redirects work, and
 * taking the process out of rotation would only make it worse.
 */
export async function readinessOf(deps: ReadinessDeps): Promise<Readiness> {
  const [records, pipeline, lost] = await Promise.all([
    attempt(() => deps.records.ping()),
    attempt(() => deps.pipeline.status()),
    attempt(() => deps.lostSecrets()),
    deps.journal.refresh?.(),
  ])
  const servers = serversOf(deps, 'value' in pipeline ? pipeline.value : undefined)
  const journal = deps.journal.status()
  const limits = deps.platformLimits.status()
  const stream = await streamTroubles(deps.stream, 'value' in pipeline ? pipeline.value : undefined)
  const troubles = [
    'failure' in records && `records: ${records.failure} Known links are served from memory.`,
    ...recordTroubles(deps.records.faults),
    'value' in lost && lost.value.length > 0 && `secrets: ${Object.values(explainLost(lost.value)).join(' ')}`,
    'failure' in pipeline && `pipeline: ${pipeline.failure}`,
    'value' in pipeline && pipeline.value.lastFailure && `click log: ${pipeline.value.lastFailure}`,
    limits.failure !== undefined && `limits: Redis is unreachable, so requests are not limited (${limits.failure})`,
    journal.failure !== undefined && `journal: ${journal.failure}`,
    journal.copy?.failure !== undefined && `journal copy: ${journal.copy.failure}`,
    processTrouble(deps.redirectProcesses),
    'value' in pipeline &&
      (pipeline.value.damagedAt ?? Number.NEGATIVE_INFINITY) > deps.clock.now() - damageShown &&
      `journal: damaged or missing rows: ${pipeline.value.damagedRows}; their clicks are lost`,
    ...(deps.journalReports?.missing ?? []).map((report) => `journal: ${missingText(report)}`),
    deps.clockWatch?.jump && `clock: ${jumpText(deps.clockWatch.jump)}`,
    deps.clickLogLease?.lost !== undefined && `click log: taken over by another process, in ${deps.clickLogLease.lost}`,
    ...serverTroubles(servers),
    ...stream,
    ...backupTroubles(deps.backupSchedule),
  ].filter((trouble): trouble is string => typeof trouble === 'string')
  return {
    status:
      'failure' in records && deps.redirectCache.isEmpty ? 'unavailable' : troubles.length > 0 ? 'degraded' : 'ready',
    troubles,
    journal: {
      ...lossesOf(journal),
      ...(journal.copy && { copyBehindRows: journal.copy.behindRows }),
      backlogRows: 'value' in pipeline ? rowsWaiting(journal, pipeline.value) : null,
    },
    pipeline: 'value' in pipeline ? pipeline.value : null,
    servers,
  }
}

/** What was recorded and lost since the start, and lost since the journal was made. */
export function lossesOf({ recorded, lost, lostEver, lastLostAt }: JournalStatus) {
  return { recorded, lost, lostEver, lastLostAt: lastLostAt === undefined ? null : new Date(lastLostAt).toISOString() }
}

function processTrouble({ wanted, running }: ReadinessDeps['redirectProcesses']) {
  return running < wanted && `processes: ${running} of ${wanted} processes for redirects run beside this one`
}

function recordTroubles(faults: ReadinessDeps['records']['faults']): readonly string[] {
  const { damage, full } = faults ?? {}
  return [
    ...(damage === undefined ? [] : [`records: ${damage}. Some links and lists fail. Restore a backup.`]),
    ...(full === undefined ? [] : [`records: all changes are refused. ${full}`]),
  ]
}

type ServerStatuses = Readonly<Record<string, ServerStatus>>

export function serversOf(
  { servers, config }: Pick<ReadinessDeps, 'servers' | 'config'>,
  pipeline: PipelineStatus | undefined,
): ServerStatuses {
  const known = Object.entries(servers).map(([name, { status }]) => [name, status] as const)
  if (config.clickhouseUrl === undefined || pipeline === undefined) return Object.fromEntries(known)
  const { lastFailure: failure } = pipeline
  const clickhouse: ServerStatus = failure === undefined ? { state: 'ok' } : { state: 'failing', failure }
  return Object.fromEntries([...known, ['clickhouse', clickhouse]])
}

/**
 * Failures that no other line of `troubles` tells. Not of DNS: the name servers of a single domain may be the ones that
 * are silent.
 */
function serverTroubles(servers: ServerStatuses): readonly string[] {
  const meaning = { smtp: 'mail cannot be sent', sms: 'SMS cannot be sent', s3: 'images cannot be stored or read' }
  return Object.entries(meaning).flatMap(([name, consequence]) => {
    const failure = servers[name]?.failure
    return failure === undefined ? [] : [`${name}: ${consequence} (${failure})`]
  })
}

export interface Readiness {
  readonly status: 'ready' | 'degraded' | 'unavailable'
  readonly troubles: readonly string[]
  readonly journal: ReturnType<typeof lossesOf> & {
    readonly backlogRows: number | null
    /** Undefined without a copy. */
    readonly copyBehindRows?: number
  }
  readonly pipeline: PipelineStatus | null
  readonly servers: ServerStatuses
}

/**
 * Lost clicks cannot be recovered, so the service reports ready again after an hour, time enough to notice. The counter
 * of damaged rows stays.
 */
const damageShown = 60 * 60_000

/** Milliseconds: whoever asks for readiness does not wait long either. */
export const checkTimeout = 2500

async function attempt<T>(ask: () => Promise<T>): Promise<{ value: T } | { failure: string }> {
  try {
    return { value: await within(checkTimeout, ask(), 'It') }
  } catch (error) {
    return { failure: messageOf(error) }
  }
}
