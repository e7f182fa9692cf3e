/** What `shortlink doctor` says of one thing it looked at. */
export interface Finding {
  /** What was looked at: `data directory`, `DNS`. */
  readonly area: string
  /** `warning`: works, but will not for long, or not for all. `wrong`: does not work. */
  readonly state: 'ok' | 'warning' | 'wrong'
  readonly message: string
  /** What to do. */
  readonly remedy?: string
}

export function ok(area: string, message: string): Finding {
  return { area, state: 'ok', message }
}

export function warning(area: string, message: string, remedy: string): Finding {
  return { area, state: 'warning', message, remedy }
}

export function wrong(area: string, message: string, remedy: string): Finding {
  return { area, state: 'wrong', message, remedy }
}
