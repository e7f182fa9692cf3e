/** What the running service itself finds wrong: the troubles of /readyz. */
import { type Finding, ok, warning, wrong } from '../../core/administration/finding.js'
import { type ReadinessDeps, readinessOf } from '../../edges/ops/readiness.js'

export async function examineTroubles(deps: ReadinessDeps): Promise<Finding[]> {
  const { troubles, journal } = await readinessOf(deps)
  const lost = judgeLost(journal.lostEver, journal.lastLostAt, deps.clock.now())
  return [...(troubles.length === 0 ? [ok('service', 'It runs and is ready.')] : troubles.map(judgeTrouble)), ...lost]
}

/** A trouble begins with its area: `click log: ...`. */
export function judgeTrouble(trouble: string): Finding {
  const [, area = 'service', message = trouble] = /^([^:]+): (.*)$/s.exec(trouble) ?? []
  return wrong(area, message, 'See the log, and docs/operating.md#monitoring.')
}

/** They cannot be recovered: after a month they are only a number. */
export function judgeLost(lost: number, lastAt: string | null, now: number): Finding[] {
  if (lastAt === null) return []
  const message = `${lost} clicks were not recorded, the last at ${lastAt}: visitors were redirected, but are not counted.`
  if (now - Date.parse(lastAt) > 30 * 86_400_000) return [ok('journal', message)]
  return [
    warning(
      'journal',
      message,
      'Give the data directory enough disk space, and alert on it (deploy/helm/shortlink/alerts.yml).',
    ),
  ]
}
