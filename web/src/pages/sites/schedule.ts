import { asDate } from '../../parts/format.js'

/** When visitors see a block. */
export interface Scheduled {
  readonly is_active: boolean
  readonly schedule_start?: string | undefined
  readonly schedule_end?: string | undefined
}

export type Shown =
  | { readonly state: 'always' | 'hidden' }
  | { readonly state: 'from' | 'until' | 'over'; readonly at: Date }
  | { readonly state: 'between'; readonly at: Date; readonly end: Date }

/** As people would say it now; what begins in the past needs no words. */
export function shownOf({ is_active, schedule_start, schedule_end }: Scheduled, now = Date.now()): Shown {
  if (!is_active) return { state: 'hidden' }
  const start = schedule_start ? asDate(schedule_start) : undefined
  const end = schedule_end ? asDate(schedule_end) : undefined
  if (end && end.getTime() <= now) return { state: 'over', at: end }
  if (start && start.getTime() > now) return end ? { state: 'between', at: start, end } : { state: 'from', at: start }
  return end ? { state: 'until', at: end } : { state: 'always' }
}

/** Of the fields of a form, as `datetime-local` has them; empty for none. */
export function isScheduleRight(start: string, end: string): boolean {
  return start === '' || end === '' || new Date(start) < new Date(end)
}
