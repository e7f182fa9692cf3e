/**
 * Endpoints for operators and monitoring: liveness, readiness, pipeline lag and Prometheus metrics. Reads counters of
 * other areas; keeps none on the redirect path.
 */

import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { PipelineStatus } from '../../core/clicks/deliver.js'
import type { JournalStatus } from '../../core/clicks/journal.js'
import type { CountersStatus } from '../../core/limits/platform.js'
import type { LiveReaders } from '../../core/live/live-readers.js'
import type { Stream } from '../../core/stream/stream.js'
import type { TitleCounts } from '../../core/titles/titles.js'
import type { Clock } from '../../core/values/time.js'
import { atMostEvery } from '../../lib/at-most-every.js'
import { set, setEach, streamFigures, streamTroubles } from './stream-figures.js'

export interface OpsDeps {
  readonly clock: Clock
  readonly records: { ping(): Promise<void> }
  readonly journal: { status(): JournalStatus }
  readonly pipeline: { status(): Promise<PipelineStatus> }
  readonly redirectCache: { readonly isEmpty: boolean }
  readonly redirects: { readonly counts: Readonly<Record<string, number>> }
  readonly titles: { readonly counts: Readonly<TitleCounts> }
  readonly platformLimits: { status(): CountersStatus; readonly refused: Readonly<Record<string, number>> }
  readonly apiRequests: { readonly refused: number }
  readonly connections: { readonly refused: number }
  readonly stream: Stream
  readonly live: { readonly counts: LiveReaders['counts'] }
  readonly config: { readonly opsToken: string | undefined }
  readonly clickLogLease: { readonly lost: string | undefined } | undefined
}

export function opsRoutes(http: FastifyInstance, deps: OpsDeps): void {
  const figures = prometheus(deps)
  // Rendering takes about a millisecond and asks other threads: many requests must not cost more than one scrape.
  const rendered = atMostEvery(1000, figures.read)
  // The public may get a result up to a second old; operators get a current one.
  const sharedReadiness = atMostEvery(1000, () => readinessOf(deps))

  http.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }))

  http.get('/readyz', { schema: { hide: true } }, async (request, reply) => {
    const operator = hasOpsToken(request, deps.config.opsToken)
    const readiness = await (operator ? readinessOf(deps) : sharedReadiness())
    const { status } = readiness
    return reply.code(status === 'unavailable' ? 503 : 200).send(operator ? readiness : { status })
  })

  http.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (!hasOpsToken(request, deps.config.opsToken)) {
      return reply.code(403).type('text/plain; charset=utf-8').send(forOperators)
    }
    return reply.type(figures.contentType).send(await rendered())
  })
}

const forOperators =
  'Only for direct requests from this machine (no proxy), or with the token in opsToken (docs/operating.md).\n'

/**
 * `unavailable` (503) when no link can be answered. `degraded` (still 200) when the database is unreachable but known
 * links are served from memory, the journal is not writable, or the click log is unavailable: redirects work, and
 * taking the process out of rotation would only make it worse.
 */
async function readinessOf(deps: OpsDeps): Promise<Readiness> {
  const [records, pipeline] = await Promise.all([
    attempt(() => deps.records.ping()),
    attempt(() => deps.pipeline.status()),
  ])
  const journal = deps.journal.status()
  const limits = deps.platformLimits.status()
  const stream = await streamTroubles(deps.stream, 'value' in pipeline ? pipeline.value : undefined)
  const troubles = [
    'failure' in records && `records: ${records.failure} Known links are served from memory.`,
    'failure' in pipeline && `pipeline: ${pipeline.failure}`,
    'value' in pipeline && pipeline.value.lastFailure && `click log: ${pipeline.value.lastFailure}`,
    limits.failure !== undefined && `limits: Redis is unreachable, so requests are not limited (${limits.failure})`,
    journal.failure !== undefined && `journal: ${journal.failure}`,
    'value' in pipeline &&
      (pipeline.value.damagedAt ?? Number.NEGATIVE_INFINITY) > deps.clock.now() - damageShown &&
      `journal: damaged rows: ${pipeline.value.damagedRows}; their clicks are lost`,
    deps.clickLogLease?.lost !== undefined && `click log: taken over by another process, in ${deps.clickLogLease.lost}`,
    ...stream,
  ].filter((trouble): trouble is string => typeof trouble === 'string')
  return {
    status:
      'failure' in records && deps.redirectCache.isEmpty ? 'unavailable' : troubles.length > 0 ? 'degraded' : 'ready',
    troubles,
    journal: {
      recorded: journal.recorded,
      lost: journal.lost,
      backlogRows: 'value' in pipeline ? journal.lastRow - pipeline.value.row : null,
    },
    pipeline: 'value' in pipeline ? pipeline.value : null,
  }
}

interface Readiness {
  readonly status: 'ready' | 'degraded' | 'unavailable'
  readonly troubles: readonly string[]
  readonly journal: { readonly recorded: number; readonly lost: number; readonly backlogRows: number | null }
  readonly pipeline: PipelineStatus | null
}

/**
 * Lost clicks cannot be recovered, so the service reports ready again after an hour, time enough to notice. The counter
 * of damaged rows stays.
 */
const damageShown = 60 * 60_000

async function attempt<T>(ask: () => Promise<T>): Promise<{ value: T } | { failure: string }> {
  try {
    return { value: await ask() }
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}

/** Each area keeps its own figures; a scrape copies them into Prometheus counters. */
function prometheus(deps: OpsDeps): { read(): Promise<string>; contentType: string } {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] })

  const requests = counter('shortlink_redirect_requests_total', 'Requests on short domains by outcome', 'outcome')
  const titles = counter('shortlink_titles_total', 'Page titles requested for new links by outcome', 'outcome')
  const refused = counter('shortlink_api_refused_total', 'API requests refused by the limit reached', 'limit')
  const uncounted = counter(
    'shortlink_api_uncounted_total',
    'API requests allowed without counting while Redis was unreachable',
  )
  const limiting = gauge(
    'shortlink_api_limits_up',
    '1 while requests are counted and limited, 0 while Redis is unreachable',
  )
  const recorded = counter('shortlink_journal_clicks_total', 'Clicks written to the journal')
  const lost = counter('shortlink_journal_lost_clicks_total', 'Clicks redirected but not written to the journal')
  const damaged = counter('shortlink_journal_damaged_rows_total', 'Unreadable journal rows')
  const backlog = gauge(
    'shortlink_journal_backlog_rows',
    'Journal rows not yet in the click log; a row holds the clicks of one event-loop turn',
  )
  const delivered = counter(
    'shortlink_pipeline_clicks_total',
    'Clicks delivered to the click log by traffic class',
    'nature',
  )
  const dropped = counter('shortlink_pipeline_dropped_total', 'Invalid journal entries by reason', 'reason')
  const failures = counter('shortlink_pipeline_failures_total', 'Batches that failed and were retried')
  const restarts = counter('shortlink_pipeline_restarts_total', 'Restarts of the worker thread')
  const lag = gauge('shortlink_pipeline_lag_seconds', 'Age of the oldest click that is not in the click log yet')
  const readers = gauge('shortlink_live_readers', 'Open live updates')
  const opened = counter('shortlink_live_readers_total', 'Live updates opened since the start')
  const slow = counter('shortlink_live_readers_dropped_total', 'Live readers dropped because they were too slow')
  const copyStream = streamFigures(registry, deps.stream)

  async function copy(): Promise<void> {
    const journal = deps.journal.status()
    const pipeline = await deps.pipeline.status()
    setEach(requests, 'outcome', deps.redirects.counts)
    setEach(titles, 'outcome', { ...deps.titles.counts })
    const limits = deps.platformLimits.status()
    setEach(refused, 'limit', {
      ...deps.platformLimits.refused,
      'concurrent connections': deps.connections.refused,
      'monthly api_requests': deps.apiRequests.refused,
    })
    set(uncounted, limits.uncounted)
    limiting.set(limits.failure === undefined ? 1 : 0)
    set(recorded, journal.recorded)
    set(lost, journal.lost)
    set(damaged, pipeline.damagedRows)
    backlog.set(journal.lastRow - pipeline.row)
    setEach(delivered, 'nature', pipeline.delivered)
    setEach(dropped, 'reason', pipeline.dropped)
    set(failures, pipeline.failures)
    set(restarts, pipeline.restarts)
    lag.set(pipeline.lagMs / 1000)
    readers.set(deps.live.counts.open)
    set(opened, deps.live.counts.opened)
    set(slow, deps.live.counts.dropped)
    await copyStream(journal, pipeline)
  }

  return {
    contentType: registry.contentType,
    async read() {
      await copy()
      return registry.metrics()
    },
  }
}

/**
 * Who may see operational details: a program on this machine that connects directly, or a client with opsToken.
 * Requests through a local proxy also come from this machine; they are recognised by the headers that proxies add.
 */
function hasOpsToken(request: FastifyRequest, opsToken: string | undefined): boolean {
  const given = /^bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (opsToken !== undefined && given !== undefined && isSame(given, opsToken)) return true
  return isLoopback(request.socket.remoteAddress ?? '') && !proxyHeaders.some((name) => name in request.headers)
}

const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/, '')
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'))
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return first !== undefined && second !== undefined && timingSafeEqual(first, second)
}
