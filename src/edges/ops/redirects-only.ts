/** What monitoring sees while the service serves redirects only: in an outage of the database, and during a move. */
import { Registry } from 'prom-client'
import type { ServerStatus } from '../../lib/circuit-breaker.js'
import type { Figures } from './prometheus.js'
import { lossesOf, type Readiness } from './readiness.js'
import { type RedirectFigureDeps, redirectFigures } from './redirect-figures.js'

export interface RedirectsOnlyDeps extends RedirectFigureDeps {
  state(): RedirectsOnlyState
}

export interface RedirectsOnlyState {
  /** Why only redirects are served. */
  readonly trouble: string
  readonly servers: Readonly<Record<string, ServerStatus>>
}

export function redirectsOnlyReadiness({ journal, state }: RedirectsOnlyDeps): Readiness {
  const { trouble, servers } = state()
  const status = journal.status()
  const { failure } = status
  return {
    status: 'degraded',
    troubles: [trouble, ...(failure === undefined ? [] : [`journal: ${failure}`])],
    // Nobody reads the journal now.
    journal: { ...lossesOf(status), backlogRows: null },
    pipeline: null,
    servers,
  }
}

export function redirectsOnlyFigures(deps: RedirectsOnlyDeps): Figures {
  const registry = new Registry()
  const figures = redirectFigures(registry, deps)
  return {
    contentType: registry.contentType,
    close: () => {},
    async read() {
      figures.copy(deps.state().servers)
      return (await registry.metrics()) + figures.text()
    },
  }
}
