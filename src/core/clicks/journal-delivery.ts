/** What operators see of the delivery of a journal whose machine is gone. */
export interface JournalProgress {
  readonly folder: string
  readonly state: 'delivering' | 'done' | 'failed'
  /** The last row that the click log has, and those between which the delivery works. */
  readonly row: number
  readonly from: number
  readonly to: number
  /** Those that were counted now. */
  readonly clicks: number
  /** Their clicks are lost. */
  readonly damagedRows: number
  readonly damagedFiles: readonly string[]
  /** Why it failed, and what to do. */
  readonly problem: string | undefined
}

/** One journal at a time. */
export interface JournalDeliveries {
  /** Begins, unless one is being delivered; resolves with the progress of that one. */
  start(folder: string): Promise<JournalProgress>
  /** The progress of the latest. If nothing is known of it any more, begins again: nothing is counted twice. */
  progress(folder: string): Promise<JournalProgress>
}
