import type { BulkJob, JobAction, JobState, JobStep, RowOutcome } from './job.js'

/**
 * Stores jobs, their leases and the outcomes of their rows. Each method is one atomic step; the promises are tested in
 * job-store.contract.ts.
 */
export interface BulkJobStore {
  /**
   * Adds a waiting job, whose blobs no longer count as unused. `no-blob`: one of them was deleted meanwhile. `too-many`:
   * the organization has this many unfinished jobs.
   */
  add(job: NewJob, mostUnfinished: number): Promise<'added' | 'no-blob' | 'too-many'>
  find(guid: string): Promise<BulkJob | undefined>
  /** What a job without a file has to do, as it was added, and the place where its next step begins. */
  instructions(guid: string): Promise<JobInstructions | undefined>
  /** Of a group and with one of the actions, newest first. */
  page(input: JobPageInput): Promise<readonly BulkJob[]>
  /**
   * Gives the holder the oldest job that it may work on: a waiting one of an organization without a running job, or one
   * whose lease has ended. Exports and other jobs do not wait for each other. Of racing callers, one gets it.
   */
  claim(lease: Lease): Promise<BulkJob | undefined>
  /** Writes the number of rows and renews the lease. False: the job is no longer the holder's to work on. */
  setTotal(guid: string, lease: Lease, rowsTotal: number | undefined): Promise<boolean>
  /**
   * Runs the work on the rows from `from` on. What it writes to the records, the outcomes and the progress are one
   * transaction, so no row is worked on twice or lost. The work may run more than once. False: another process did
   * these rows, or the job was cancelled or deleted; then nothing was written.
   */
  runBatch(guid: string, lease: Lease, from: number, work: () => Promise<readonly RowOutcome[]>): Promise<boolean>
  /**
   * Runs a step. What it writes to the records, its place, its part of the file and the progress are one transaction; the last
   * step ends the job. The work may run more than once. False: as for `runBatch`, `from` being the rows that were done.
   */
  runStep(guid: string, lease: Lease, from: number, work: () => Promise<JobStep>): Promise<boolean>
  /** Ends a job of this holder. False: it is no longer its job. */
  finish(guid: string, holder: string, end: JobEnd): Promise<boolean>
  /** Ends a job that waits or runs; `ended`: it was over already. */
  cancel(guid: string, at: number): Promise<'cancelled' | 'ended' | 'missing'>
  /** Deletes the job and its outcomes; its blobs become unused. */
  remove(guid: string, at: number): Promise<'removed' | 'missing'>
  /**
   * The next batch of outcomes that begins at this row or after it. Outcomes that name a forgotten link are deleted with
   * their batch, so a batch may be missing. Undefined: there are no more.
   */
  outcomes(guid: string, from: number): Promise<OutcomeBatch | undefined>
  /** Jobs that ended before, at most this many. */
  endedBefore(at: number, limit: number): Promise<readonly string[]>
  /** Ends all leases: for the start of a process that is the only one. */
  releaseAll(): Promise<void>
}

export type NewJob = Omit<
  BulkJob,
  'state' | 'rowsTotal' | 'rowsDone' | 'counts' | 'error' | 'startedAt' | 'finishedAt'
> & {
  /** Of a job without a file. Becomes JSON. */
  readonly input?: unknown
}

export interface JobInstructions {
  readonly input: unknown
  readonly place: unknown
}

interface JobPageInput {
  readonly groupGuid: string
  readonly actions: readonly JobAction[]
  readonly after: { readonly createdAt: number; readonly guid: string } | undefined
  readonly size: number
}

/** The right of one process to work on a job, until a time. */
export interface Lease {
  readonly holder: string
  readonly now: number
  readonly until: number
}

interface OutcomeBatch {
  /** The row of the first outcome, counted from 0. */
  readonly first: number
  readonly outcomes: readonly RowOutcome[]
}

interface JobEnd {
  readonly state: Exclude<JobState, 'waiting' | 'running'>
  readonly error: string | undefined
  readonly at: number
}
