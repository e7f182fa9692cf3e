/** A file with many rows that is worked on in the background (docs/api/bulk.md#jobs). */
export interface BulkJob {
  readonly guid: string
  readonly organizationGuid: string
  /** The group of rows that name none; its members see the job. */
  readonly groupGuid: string
  readonly action: JobAction
  readonly domain: string | undefined
  readonly strict: boolean
  /** Of the file; empty if none was given. */
  readonly name: string
  /** Bytes of the file. */
  readonly size: number
  /** The keys of its blobs, in order. */
  readonly parts: readonly string[]
  readonly createdBy: string
  readonly clientId: string | undefined
  /** Its rows may be of no group but this one. */
  readonly isLimitedToGroups: boolean
  readonly createdAt: number
  readonly state: JobState
  /** Undefined until the file was read once. */
  readonly rowsTotal: number | undefined
  readonly rowsDone: number
  readonly counts: JobCounts
  /** Why it failed, for its creator. */
  readonly error: string | undefined
  readonly startedAt: number | undefined
  readonly finishedAt: number | undefined
}

export const jobActions = ['create', 'edit', 'delete'] as const

export type JobAction = (typeof jobActions)[number]

export type JobState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'

export interface JobCounts {
  /** New links. */
  readonly created: number
  /** Links that existed already, or that were changed or deleted. */
  readonly changed: number
  readonly refused: number
}

/** What became of a row. */
export interface RowOutcome {
  readonly kind: keyof JobCounts
  /** The short URL. */
  readonly link: string
  readonly note: string
  /** Code and sentence. */
  readonly error: string
}
