/** Metrics for Prometheus. Each area keeps its own figures; a scrape copies them. */
import { Registry } from 'prom-client'
import type { ClickLogSize } from '../../core/clicks/click-log.js'
import { rowsWaiting } from '../../core/clicks/journal.js'
import type { LiveReaders } from '../../core/live/live-readers.js'
import type { TitleCounts } from '../../core/titles/titles.js'
import { atMostEvery } from '../../lib/at-most-every.js'
import { within } from '../../lib/within.js'
import type { Histogram, RouteFigures } from '../http/figures.js'
import { backupFigures } from './backup-figures.js'
import { EventLoopDelay } from './event-loop-delay.js'
import { histogramText, valuesText } from './histogram-text.js'
import { newFigures } from './new-figures.js'
import { checkTimeout, type ReadinessDeps, serversOf } from './readiness.js'
import { type RedirectFigureDeps, redirectFigures } from './redirect-figures.js'
import { set, setEach, streamFigures } from './stream-figures.js'

export interface FigureDeps
  extends RedirectFigureDeps,
    Pick<
      ReadinessDeps,
      'pipeline' | 'stream' | 'servers' | 'config' | 'backupSchedule' | 'journalReports' | 'redirectProcesses'
    > {
  readonly clickLog: { size(): Promise<ClickLogSize> }
  readonly webhookStore: { firstDue(): Promise<number | undefined>; failing(): Promise<number> }
  readonly titles: { readonly counts: Readonly<TitleCounts> }
  readonly platformLimits: ReadinessDeps['platformLimits'] & { readonly refused: Readonly<Record<string, number>> }
  readonly apiRequests: { readonly refused: number }
  readonly connections: { readonly refused: number }
  readonly live: { readonly counts: LiveReaders['counts'] }
  readonly figures: { readonly all: readonly RouteFigures[] }
  /** Durations of queries by store. */
  readonly storeTimes: Readonly<Record<string, Histogram>>
  readonly diskUsage: () => Promise<{
    readonly stores: Readonly<Record<string, number>>
    readonly free: number | undefined
  }>
}

/** What `/metrics` answers. */
export interface Figures {
  read(): Promise<string>
  readonly contentType: string
  close(): void
}

const sizesEvery = 60_000

export function prometheus(deps: FigureDeps): Figures {
  const registry = new Registry()
  const ofRedirects = redirectFigures(registry, deps)
  const eventLoop = new EventLoopDelay()
  const { counter, gauge } = newFigures(registry)

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
  const damaged = counter('shortlink_journal_damaged_rows_total', 'Journal rows that are unreadable or missing')
  const backlog = gauge(
    'shortlink_journal_backlog_rows',
    'Journal rows not yet in the click log; a row holds the clicks of one event-loop turn',
  )
  const copied = deps.journal.status().copy && {
    up: gauge('shortlink_journal_copy_up', '1 while the copy of the journal can be written'),
    behind: gauge('shortlink_journal_copy_behind_rows', 'Journal rows that the copy does not have yet'),
  }
  const missing = gauge('shortlink_missing_processes', 'Processes with this database that did not come back')
  const missingRows = gauge(
    'shortlink_missing_journal_rows',
    'Journal rows that waited in missing processes when they were last seen',
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
  const processes = gauge('shortlink_redirect_processes', 'Processes that answer redirects, with the main one')
  const processRestarts = counter(
    'shortlink_redirect_process_restarts_total',
    'Processes for redirects that were replaced',
  )
  const readers = gauge('shortlink_live_readers', 'Open live updates')
  const opened = counter('shortlink_live_readers_total', 'Live updates opened since the start')
  const slow = counter('shortlink_live_readers_dropped_total', 'Live readers dropped because they were too slow')
  const diskBytes = gauge('shortlink_disk_bytes', 'Bytes of files in the data directory by store', 'store')
  const diskFree = gauge('shortlink_disk_free_bytes', 'Free bytes on the disk of the data directory')
  const clickRows = gauge('shortlink_click_log_rows', 'Clicks and rollups in the click log')
  const clickBytes = gauge('shortlink_click_log_bytes', 'Bytes of the click log on disk')
  const webhookLag = gauge(
    'shortlink_webhook_lag_seconds',
    'How long the first event that waits for a webhook is overdue',
  )
  const webhooksFailing = gauge('shortlink_webhooks_failing', 'Active webhooks whose deliveries fail repeatedly')
  // They read folders and ask databases, and change slowly.
  const sizes = atMostEvery(sizesEvery, async () => {
    const { stores, free } = await deps.diskUsage()
    for (const [store, bytes] of Object.entries(stores)) diskBytes.set({ store }, bytes)
    if (free !== undefined) diskFree.set(free)
    const now = Date.now()
    const due = (await within(checkTimeout, deps.webhookStore.firstDue(), 'The database')) ?? now
    webhookLag.set(Math.max(0, now - due) / 1000)
    webhooksFailing.set(await within(checkTimeout, deps.webhookStore.failing(), 'The database'))
    const { rows, bytes } = await within(checkTimeout, deps.clickLog.size(), 'The click log')
    clickRows.set(rows)
    clickBytes.set(bytes)
  })
  const copyStream = streamFigures(registry, deps.stream)
  backupFigures(registry, deps.backupSchedule)

  async function copy(): Promise<void> {
    await deps.journal.refresh?.()
    const journal = deps.journal.status()
    const pipeline = await within(checkTimeout, deps.pipeline.status(), 'The click thread')
    ofRedirects.copy(serversOf(deps, pipeline))
    setEach(titles, 'outcome', { ...deps.titles.counts })
    const limits = deps.platformLimits.status()
    setEach(refused, 'limit', {
      ...deps.platformLimits.refused,
      'concurrent connections': deps.connections.refused,
      'monthly api_requests': deps.apiRequests.refused,
    })
    set(uncounted, limits.uncounted)
    limiting.set(limits.failure === undefined ? 1 : 0)
    set(damaged, pipeline.damagedRows)
    backlog.set(rowsWaiting(journal, pipeline))
    copied?.up.set(journal.copy?.failure === undefined ? 1 : 0)
    copied?.behind.set(journal.copy?.behindRows ?? 0)
    const gone = deps.journalReports?.missing ?? []
    missing.set(gone.length)
    missingRows.set(gone.reduce((sum, { waitingRows }) => sum + waitingRows, 0))
    setEach(delivered, 'nature', pipeline.delivered)
    setEach(dropped, 'reason', pipeline.dropped)
    set(failures, pipeline.failures)
    set(restarts, pipeline.restarts)
    lag.set(pipeline.lagMs / 1000)
    processes.set(1 + deps.redirectProcesses.running)
    set(processRestarts, deps.redirectProcesses.restarts)
    readers.set(deps.live.counts.open)
    set(opened, deps.live.counts.opened)
    set(slow, deps.live.counts.dropped)
    await copyStream(journal, pipeline)
    // A click log that does not answer must not hide the other metrics.
    await sizes().catch(() => {})
  }

  function ownText(): string {
    const routes = deps.figures.all
    const requestsByStatus = routes.flatMap(({ method, route, statuses }) =>
      [...statuses].map(([status, value]) => ({ labels: { method, route, status }, value })),
    )
    const requestTimes = routes.map(({ method, route, histogram }) => ({ labels: { method, route }, histogram }))
    const storeTimes = Object.entries(deps.storeTimes).map(([store, histogram]) => ({ labels: { store }, histogram }))
    const alone = (histogram: Histogram) => [{ labels: {}, histogram }]
    return [
      valuesText('counter', 'shortlink_api_requests_total', 'Requests by route and status', requestsByStatus),
      histogramText('shortlink_api_request_seconds', 'Duration of requests by route', requestTimes),
      ofRedirects.text(),
      histogramText('shortlink_store_seconds', 'Duration of queries by store', storeTimes),
      histogramText(
        'shortlink_event_loop_delay_seconds',
        'How late a timer runs, twice a second',
        alone(eventLoop.delays),
      ),
    ].join('')
  }

  return {
    contentType: registry.contentType,
    close: () => eventLoop.close(),
    async read() {
      await copy()
      return (await registry.metrics()) + ownText()
    },
  }
}
