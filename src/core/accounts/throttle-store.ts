/**
 * Counts tries, shared by all processes on the same records. Each method is one atomic step;
 * throttle-store.contract.ts says what they promise. It does not know what is tried.
 */
export interface ThrottleStore {
  /**
   * Counts one try under every budget, or none at all when one of them is used up: then answers the milliseconds until
   * that one begins anew. Counting comes before trying, so that many tries at once cannot slip through together.
   */
  take(budgets: readonly Budget[], now: number): Promise<number | undefined>
  /** Takes a try back that turned out not to be a guess. */
  giveBack(keys: readonly string[]): Promise<void>
  /** Begins anew at once. */
  clear(keys: readonly string[]): Promise<void>
}

export interface Budget {
  readonly key: string
  /** How many tries there are ... */
  readonly limit: number
  /** ... in this many milliseconds, counted from the first of them. */
  readonly window: number
}
