/** Metrics that the service has in every mode, also while it serves redirects only. */
import { collectDefaultMetrics, type Registry } from 'prom-client'
import type { JournalStatus } from '../../core/clicks/journal.js'
import type { ServerStatus } from '../../lib/circuit-breaker.js'
import type { Histogram } from '../http/figures.js'
import { histogramText } from './histogram-text.js'
import { newFigures } from './new-figures.js'
import { set, setEach } from './stream-figures.js'

export interface RedirectFigureDeps {
  readonly redirects: { readonly counts: Readonly<Record<string, number>>; readonly times: Histogram }
  /** `refresh` makes the status of other processes current. */
  readonly journal: { status(): JournalStatus; refresh?(): Promise<unknown> }
  readonly version: string
}

export function redirectFigures(registry: Registry, deps: RedirectFigureDeps) {
  // The default, a timer every ten milliseconds, took a third of the processor time of an idle service.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 1000 })
  const { counter, gauge } = newFigures(registry)
  gauge('shortlink_build_info', 'Always 1; the version is a label', 'version').set({ version: deps.version }, 1)
  const requests = counter('shortlink_redirect_requests_total', 'Requests on short domains by outcome', 'outcome')
  const recorded = counter('shortlink_journal_clicks_total', 'Clicks written to the journal')
  const lost = counter(
    'shortlink_journal_lost_clicks_total',
    'Clicks redirected but not written to the journal, since the journal was made',
  )
  const up = gauge(
    'shortlink_server_up',
    '1 if a configured server worked when it was last used, 0 if it failed',
    'server',
  )
  return {
    copy(servers: Readonly<Record<string, ServerStatus>>): void {
      const journal = deps.journal.status()
      setEach(requests, 'outcome', deps.redirects.counts)
      set(recorded, journal.recorded)
      set(lost, journal.lostEver)
      for (const [server, { state }] of Object.entries(servers)) up.set({ server }, state === 'failing' ? 0 : 1)
    },
    /** Histograms, which have no registry. */
    text: () =>
      histogramText('shortlink_redirect_seconds', 'Duration of one in 64 requests for short links', [
        { labels: {}, histogram: deps.redirects.times },
      ]),
  }
}
