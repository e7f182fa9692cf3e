/** Counters since the start. */
export interface Totals {
  published: number
  publishedBytes: number
  delivered: number
  finished: number
  requeued: number
  timedOut: number
  lost: number
  connections: number
  /** Connections refused or evicted because there were too many. */
  connectionsRefused: number
  /** Error frames by code. */
  errors: Record<string, number>
}

export function noTotals(): Totals {
  return {
    published: 0,
    publishedBytes: 0,
    delivered: 0,
    finished: 0,
    requeued: 0,
    timedOut: 0,
    lost: 0,
    connections: 0,
    connectionsRefused: 0,
    errors: {},
  }
}
