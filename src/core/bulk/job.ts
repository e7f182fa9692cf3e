/** Much that is worked on in the background: the rows of a file, a tag, or an export (docs/api/bulk.md#jobs, docs/api/exports.md). */
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
  /** Bytes of the file: the one that was sent, or what was exported until now. */
  readonly size: number
  /** The keys of its blobs, in order. */
  readonly parts: readonly string[]
  readonly createdBy: string
  readonly clientId: string | undefined
  /** Its rows may be of no group but this one. */
  readonly isLimitedToGroups: boolean
  readonly createdAt: number
  readonly state: JobState
  /** Undefined until the file was read once, or the rows were counted. */
  readonly rowsTotal: number | undefined
  readonly rowsDone: number
  readonly counts: JobCounts
  /** Why it failed, for its creator. */
  readonly error: string | undefined
  readonly startedAt: number | undefined
  readonly finishedAt: number | undefined
}

/** What is done with the rows of a file. */
export const fileActions = ['create', 'edit', 'delete'] as const
/** What a tag needs on everything that has it. */
const tagActions = ['rename_tag', 'delete_tag'] as const
export const exportActions = ['export_links', 'export_clicks'] as const
/** Those that change something. */
export const changeActions = [...fileActions, ...tagActions] as const

export type FileAction = (typeof fileActions)[number]
export type TagAction = (typeof tagActions)[number]
export type ExportAction = (typeof exportActions)[number]
export type ChangeAction = FileAction | TagAction
export type JobAction = ChangeAction | ExportAction

export type JobState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'

export interface JobCounts {
  /** New links. */
  readonly created: number
  /** Links that existed already, or that were changed or deleted. */
  readonly changed: number
  readonly refused: number
}

/** What a step of a job without a file did. */
export interface JobStep {
  readonly rows: number
  /** As JSON: where the next step begins. Undefined: this was the last. */
  readonly place: unknown
  /** If it was counted. */
  readonly rowsTotal?: number | undefined
  /** What was added to the file of an export: keys of blobs that are listed as unused. */
  readonly file?: { readonly parts: readonly string[]; readonly size: number }
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
