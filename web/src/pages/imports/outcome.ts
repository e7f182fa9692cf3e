import { formatNumber } from '../../parts/format.js'
import { importTexts } from '../../texts/import.js'
import type { Job } from './queries.js'

/** What a job has done so far, in words. */
export function outcomeOf({ action, counts }: Pick<Job, 'action' | 'counts'>): string {
  const [created, changed, refused] = [counts.created, counts.changed, counts.refused].map(formatNumber) as [
    string,
    string,
    string,
  ]
  if (action === 'create') return importTexts.created(created, changed, refused)
  return action === 'delete' ? importTexts.deleted(changed, refused) : importTexts.changed(changed, refused)
}
