export interface Figures {
  passed: number
  failed: number
  skipped: number
  /** Names of what failed. */
  readonly failures: string[]
  /** Names of tests that passed only when they were tried again. */
  readonly retried: string[]
  /** How many tests were skipped, by place and reason. */
  readonly skips: Record<string, number>
}

export function leave(figures: Figures): void
