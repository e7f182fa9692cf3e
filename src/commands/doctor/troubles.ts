/** What the running service itself finds wrong: the troubles of /readyz. */
import { type Finding, ok, wrong } from '../../core/administration/finding.js'
import { type ReadinessDeps, readinessOf } from '../../edges/ops/readiness.js'

export async function examineTroubles(deps: ReadinessDeps): Promise<Finding[]> {
  const { troubles } = await readinessOf(deps)
  return troubles.length === 0 ? [ok('service', 'It runs and is ready.')] : troubles.map(judgeTrouble)
}

/** A trouble begins with its area: `click log: ...`. */
export function judgeTrouble(trouble: string): Finding {
  const [, area = 'service', message = trouble] = /^([^:]+): (.*)$/s.exec(trouble) ?? []
  return wrong(area, message, 'See the log, and docs/operating.md#monitoring.')
}
