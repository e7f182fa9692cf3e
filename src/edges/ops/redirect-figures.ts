/** Metrics that the service has in every mode, also while it serves redirects only. */
import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import type { JournalStatus } from '../../core/clicks/journal.js'
import type { ServerStatus } from '../../lib/circuit-breaker.js'
import type { Histogram } from '../http/figures.js'
import { histogramText } from './histogram-text.js'
import { set, setEach } from './stream-figures.js'

export interface RedirectFigureDeps {
  readonly redirects: { readonly counts: Readonly<Record<string, number>>; readonly times: Histogram }
  readonly journal: { status(): JournalStatus }
  readonly version: string
}

export function redirectFigures(registry: Registry, deps: RedirectFigureDeps) {
  const registers = [registry]
  // The default, a timer every ten milliseconds, took a third of the processor time of an idle service.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 1000 })
  const build = new Gauge({
    name: 'shortlink_build_info',
    help: 'Always 1; the version is a label',
    labelNames: ['version'],
    registers,
  })
  build.set({ version: deps.version }, 1)
  const requests = new Counter({
    name: 'shortlink_redirect_requests_total',
    help: 'Requests on short domains by outcome',
    labelNames: ['outcome'],
    registers,
  })
  const recorded = new Counter({
    name: 'shortlink_journal_clicks_total',
    help: 'Clicks written to the journal',
    registers,
  })
  const lost = new Counter({
    name: 'shortlink_journal_lost_clicks_total',
    help: 'Clicks redirected but not written to the journal, since the journal was made',
    registers,
  })
  const up = new Gauge({
    name: 'shortlink_server_up',
    help: '1 if a configured server worked when it was last used, 0 if it failed',
    labelNames: ['server'],
    registers,
  })
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
