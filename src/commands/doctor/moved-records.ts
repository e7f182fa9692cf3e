/** Whether a `move` has taken the records elsewhere: then the service does not start on these. */
import { type Finding, wrong } from '../../core/administration/finding.js'
import { movedTo } from '../../core/copies/moved-records.js'
import type { Records } from '../../storage/records/records.js'

export async function examineMove(records: Pick<Records, 'clickStore'>): Promise<Finding[]> {
  const place = await movedTo(records)
  if (place === undefined) return []
  const remedy =
    'Start the service with the options that "shortlink move" printed, or go on with these: "shortlink move --cancel".'
  return [wrong('records', `They were moved to ${place}.`, remedy)]
}
