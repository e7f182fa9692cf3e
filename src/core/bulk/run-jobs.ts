/**
 * Works on jobs in the background: each row by the rules of a single request, in small batches between which other requests
 * have their turn. The rows of a batch, their outcomes and the progress are one transaction, so a job that was interrupted
 * goes on where it stopped. One job of an organization runs at a time; any process may work on it.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { AccountStore } from '../accounts/account-store.js'
import type { Actor } from '../accounts/actor.js'
import { Refusal } from '../values/refusal.js'
import { type Table, TableError, type TableRow } from '../values/table.js'
import type { BulkJob, RowOutcome } from './job.js'
import type { Lease } from './job-store.js'
import { type JobDeps, removeJob } from './jobs.js'
import { requireColumns } from './table-rows.js'

export interface RunJobsDeps extends Omit<JobDeps, 'jobAdded'> {
  readonly accounts: Pick<AccountStore, 'actorByLogin' | 'listTokens'>
  /** What a job does with its rows. */
  readonly actions: Readonly<Record<BulkJob['action'], RowAction>>
  /** Names this process. */
  readonly holder: string
  /** Called when a job stops because of an error of ours; it is tried again. */
  readonly onFailure: (error: unknown, job: string | undefined) => void
}

export interface RowAction {
  /** Columns that the header must have. */
  readonly required: readonly string[]
  run(actor: Actor, job: BulkJob, rows: readonly TableRow[]): Promise<readonly RowOutcome[]>
}

// A batch takes some milliseconds. The pause after it is as long as the batch: others get at least half of the time.
const rowsPerBatch = 100
/** Renewed with every batch, and while rows are only read. */
const leaseLength = 15_000
const renewInterval = 5_000
/** How often to look for jobs that other processes added or left. */
const pollInterval = 5_000
/** Jobs of different organizations that this process works on at a time. */
const workers = 2
const maxAttempts = 5
/** Jobs and their files are deleted this long after their end. */
const keptDays = 7
const cleanUpInterval = 3_600_000

/** Ends a job. */
class NoAuthor extends Error {}

export class BulkJobRunner {
  readonly #deps: RunJobsDeps
  readonly #over = new AbortController()
  readonly #wakers = new Set<() => void>()
  #running: Promise<unknown> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(deps: RunJobsDeps) {
    this.#deps = deps
  }

  start(): void {
    const loops = Array.from({ length: workers }, (_, n) => this.#work(`${this.#deps.holder}/${n}`))
    this.#running = Promise.all([...loops, this.#cleanUp()])
    this.#timer = setInterval(() => void this.#cleanUp(), cleanUpInterval).unref()
  }

  /** Looks for jobs now. */
  wake(): void {
    for (const waker of this.#wakers) waker()
  }

  /** Waits for the batches under way; the jobs go on after the next start. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#over.abort()
    this.wake()
    await this.#running
  }

  /** Never rejects. */
  async #work(holder: string): Promise<void> {
    const attempts = new Map<string, number>()
    while (!this.#over.signal.aborted) {
      let job: BulkJob | undefined
      try {
        job = await this.#deps.bulkJobs.claim(this.#lease(holder))
        if (job) await this.#runJob(job, holder)
        else if (!this.#over.signal.aborted) await this.#nextJob()
      } catch (error) {
        this.#deps.onFailure(error, job?.guid)
        const count = (attempts.get(job?.guid ?? '') ?? 0) + 1
        attempts.set(job?.guid ?? '', count)
        if (job && count >= maxAttempts && !(error instanceof Refusal)) await this.#giveUp(job, holder)
        await this.#sleep(pollInterval)
      }
    }
  }

  async #runJob(job: BulkJob, holder: string): Promise<void> {
    const { bulkJobs, actions, clock } = this.#deps
    const end = (state: 'done' | 'failed', error?: string) =>
      bulkJobs.finish(job.guid, holder, { state, error, at: clock.now() })
    try {
      const { required } = actions[job.action]
      // Read once before anything is written: a file with an error in its last line changes nothing.
      if (job.rowsTotal === undefined && !(await this.#countRows(job, holder, required))) return
      if (await this.#runRows(job, holder)) await end('done')
    } catch (error) {
      if (!(error instanceof TableError || error instanceof NoAuthor)) throw error
      await end('failed', error.message)
    }
  }

  /** The access of today: a job does not outlive the account of its author, or the authorization of its application. */
  async #authorOf({ createdBy, clientId, groupGuid }: BulkJob): Promise<Actor> {
    const { accounts } = this.#deps
    const user = await accounts.actorByLogin(createdBy)
    if (!user) throw new NoAuthor('The user who created the job no longer exists.')
    if (clientId !== undefined) {
      const tokens = await accounts.listTokens(createdBy)
      const isAuthorized = tokens.some((token) => token.clientId === clientId && token.revokedAt === undefined)
      if (!isAuthorized) throw new NoAuthor('The application that created the job is no longer authorized.')
    }
    // Rows without a group belong to that of the job.
    return { ...user, clientId, defaultGroupGuid: groupGuid }
  }

  /** False: stop. */
  async #countRows(job: BulkJob, holder: string, required: readonly string[]): Promise<boolean> {
    const { bulkJobs } = this.#deps
    const table = await this.#open(job, required)
    const mayGoOn = this.#whileReading(job, holder)
    let rows = 0
    for await (const _row of table) {
      if (!(await mayGoOn())) return false
      rows += 1
    }
    return bulkJobs.setTotal(job.guid, this.#lease(holder), rows)
  }

  /** False: stop. */
  async #runRows(job: BulkJob, holder: string): Promise<boolean> {
    const { bulkJobs, actions } = this.#deps
    const action = actions[job.action]
    const table = await this.#open(job, action.required)
    const mayGoOn = this.#whileReading(job, holder)
    let done = job.rowsDone
    let skipped = 0
    let batch: TableRow[] = []
    const runBatch = async () => {
      const rows = batch
      batch = []
      const began = performance.now()
      const actor = await this.#authorOf(job)
      const isOurs = await bulkJobs.runBatch(job.guid, this.#lease(holder), done, () => action.run(actor, job, rows))
      done += rows.length
      await this.#sleep(performance.now() - began)
      return isOurs && !this.#over.signal.aborted
    }
    for await (const row of table) {
      if (skipped < job.rowsDone) {
        if (!(await mayGoOn())) return false
        skipped += 1
        continue
      }
      batch.push(row)
      if (batch.length === rowsPerBatch && !(await runBatch())) return false
    }
    return batch.length === 0 || runBatch()
  }

  /** To be asked at every row: renews the lease now and then. Also at the first row, for opening a file can take long. */
  #whileReading(job: BulkJob, holder: string): () => Promise<boolean> {
    let renewAt = 0
    return async () => {
      const lease = this.#lease(holder)
      if (this.#over.signal.aborted) return false
      if (lease.now < renewAt) return true
      renewAt = lease.now + renewInterval
      return this.#deps.bulkJobs.setTotal(job.guid, lease, undefined)
    }
  }

  async #open({ parts }: BulkJob, required: readonly string[]): Promise<Table> {
    const table = await this.#deps.jobFiles.open(parts)
    await requireColumns(table, required)
    return table
  }

  async #giveUp(job: BulkJob, holder: string): Promise<void> {
    const error = 'Something went wrong on our side. It was logged. Rows that are done stay done.'
    await this.#deps.bulkJobs
      .finish(job.guid, holder, { state: 'failed', error, at: this.#deps.clock.now() })
      .catch((failure: unknown) => this.#deps.onFailure(failure, job.guid))
  }

  async #cleanUp(): Promise<void> {
    const { bulkJobs, clock, onFailure } = this.#deps
    try {
      const before = clock.now() - keptDays * 86_400_000
      for (const guid of await bulkJobs.endedBefore(before, 100)) await removeJob(this.#deps, { guid })
    } catch (error) {
      onFailure(error, undefined)
    }
  }

  #lease(holder: string): Lease {
    const now = this.#deps.clock.now()
    return { holder, now, until: now + leaseLength }
  }

  #nextJob(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, pollInterval).unref()
      const wakers = this.#wakers
      function done(): void {
        clearTimeout(timer)
        wakers.delete(done)
        resolve()
      }
      wakers.add(done)
    })
  }

  async #sleep(milliseconds: number): Promise<void> {
    await wait(milliseconds, undefined, { signal: this.#over.signal, ref: false }).catch(() => {})
  }
}
