/** How old the newest backup is. */
import { type Finding, ok, warning, wrong } from '../../core/administration/finding.js'

const area = 'backups'
const day = 86_400_000

/** `newest`: when it was made; undefined: none is known. */
export function judgeBackups(newest: number | undefined, now: number): Finding {
  const remedy = 'Make one now: docs/operating.md#backup.'
  if (newest === undefined) return warning(area, 'No backup is known.', remedy)
  const days = Math.floor((now - newest) / day)
  const message = `The newest backup is ${days === 0 ? 'from today' : `${days} day(s) old`}.`
  if (days > 30) return wrong(area, message, remedy)
  return days > 2 ? warning(area, message, remedy) : ok(area, message)
}
