/** How the stream's following of links goes, for readiness and metrics. Counts are since the thread was started. */
export interface Following {
  /** Looks at the records that failed, or whose links could not be published. */
  readonly failures: number
  /** Why the last look failed; undefined while following works. */
  readonly lastFailure: string | undefined
  /** How long ago the last look ended well: what was made since is not told of. */
  readonly behindMs: number
  /** For how long a change of the records has been open that is no longer waited for; undefined while all of them are. */
  readonly tooLongOpenMs: number | undefined
}
