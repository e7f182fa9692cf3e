/**
 * Works on jobs in the background: each row of a file by the rules of a single request, in small batches between which other
 * requests have their turn; jobs without a file in steps of bounded size. What a batch or a step writes and the progress are
 * one transaction, so a job that was interrupted goes on where it stopped. One job and one export of an organization run at
 * a time, beside those of others; any process may work on them.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { PeriodicTask } from '../../lib/periodic-task.js'
import { Places } from '../../lib/places.js'
import type { TokenStore } from '../accounts/account-store.js'
import { type Actor, limitedTo } from '../accounts/actor.js'
import { isOutage, Refusal } from '../values/refusal.js'
import { type Table, TableError, type TableRow } from '../values/table.js'
import {
  type BulkJob,
  type ExportAction,
  type FileAction,
  fileActions,
  type JobStep,
  type RowOutcome,
  type TagAction,
} from './job.js'
import type { JobInstructions, Lease } from './job-store.js'
import type { JobDeps } from './jobs.js'
import { requireColumns } from './table-rows.js'

export interface RunJobsDeps extends Omit<JobDeps, 'jobAdded'> {
  readonly accounts: Pick<TokenStore, 'actorByLogin' | 'listTokens'>
  /** What a job does with its rows, or in a step. */
  readonly actions: Readonly<Record<FileAction, RowAction>> & Readonly<Record<TagAction | ExportAction, StepAction>>
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

export interface StepAction {
  /** Prepares a step, in no transaction. What is returned runs in that of the progress. A refusal ends the job. */
  prepare(
    actor: Actor,
    job: BulkJob,
    instructions: JobInstructions,
    signal: AbortSignal,
  ): Promise<() => Promise<JobStep>>
}

// A batch takes some milliseconds. The pause after it is as long as the batch: others get at least half of the time.
const rowsPerBatch = 100
/** The jobs of this process take turns. */
const batchesAtOnce = 2
/** Renewed by a timer, as opening a file or reading many empty rows can take long. */
const leaseLength = 15_000
const renewInterval = 5_000
/** How often to look for jobs that other processes added or left. */
const pollInterval = 5_000
/** Jobs of different organizations that this process works on at a time. */
const mostJobs = 20
const maxAttempts = 5
/** Jobs and their files are deleted this long after their end. */
const keptDays = 7
const cleanUpInterval = 3_600_000
const jobsPerCleanUpStep = 100

/** Ends a job. */
class NoAuthor extends Error {}

function howToGoOn({ parts, action }: BulkJob): string {
  if (action === 'rename_tag') return 'Start it again, with "merge": true if a part is done.'
  const isFile = parts.length > 0 && (fileActions as readonly string[]).includes(action)
  return isFile
    ? 'Rows that are done stay done: send those of the result without a link and an error again, as a new file.'
    : 'Start it again.'
}

export class BulkJobRunner {
  readonly #deps: RunJobsDeps
  readonly #over = new AbortController()
  readonly #jobs = new Set<Promise<void>>()
  readonly #turns = new Places(batchesAtOnce)
  #isAwake = false
  #rouse = () => {}
  #running: Promise<unknown> = Promise.resolve()
  #cleaning: PeriodicTask | undefined

  constructor(deps: RunJobsDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#running = this.#beginJobs()
    this.#cleaning = new PeriodicTask(
      cleanUpInterval,
      () => this.#cleanUp(),
      (error) => this.#deps.onFailure(error, undefined),
    )
    void this.#cleaning.now()
  }

  /** Looks for jobs now. */
  wake(): void {
    this.#isAwake = true
    this.#rouse()
  }

  /** Waits for the batches under way, and stops reading files; the jobs go on after the next start. */
  async close(): Promise<void> {
    this.#over.abort()
    this.wake()
    await this.#cleaning?.close()
    await this.#running
    await Promise.all(this.#jobs)
  }

  /** Never rejects. */
  async #beginJobs(): Promise<void> {
    for (let number = 0; !this.#over.signal.aborted; number += 1) {
      this.#isAwake = false
      const holder = `${this.#deps.holder}/${number}`
      const job = this.#jobs.size < mostJobs ? await this.#claim(holder) : undefined
      if (!job) {
        await this.#nextJob()
        continue
      }
      const running = this.#work(job.guid, holder).finally(() => {
        this.#jobs.delete(running)
        // The organization may have another one.
        this.wake()
      })
      this.#jobs.add(running)
    }
  }

  async #claim(holder: string): Promise<BulkJob | undefined> {
    try {
      return await this.#deps.bulkJobs.claim(this.#lease(holder))
    } catch (error) {
      this.#deps.onFailure(error, undefined)
      return undefined
    }
  }

  /** Until the job ends, or belongs to nobody or another process. Never rejects. */
  async #work(guid: string, holder: string): Promise<void> {
    const lost = new AbortController()
    const signal = AbortSignal.any([this.#over.signal, lost.signal])
    // While the store cannot be reached, a later renewal may still be in time.
    const renew = () => this.#deps.bulkJobs.setTotal(guid, this.#lease(holder), undefined).catch(() => true)
    const renewing = new PeriodicTask(renewInterval, async () => {
      if (!(await renew())) lost.abort()
    })
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      let job: BulkJob | undefined
      try {
        job = await this.#deps.bulkJobs.find(guid)
        if (job) await this.#runJob(job, holder, signal)
        break
      } catch (error) {
        if (signal.aborted) break
        this.#deps.onFailure(error, guid)
        if (job && attempt >= maxAttempts && !(error instanceof Refusal)) {
          await this.#giveUp(job, holder)
          break
        }
        await this.#sleep(pollInterval)
      }
    }
    renewing.stop()
  }

  async #runJob(job: BulkJob, holder: string, signal: AbortSignal): Promise<void> {
    const { bulkJobs, clock } = this.#deps
    const end = (state: 'done' | 'failed', error?: string) =>
      bulkJobs.finish(job.guid, holder, { state, error, at: clock.now() })
    try {
      const action = this.#deps.actions[job.action]
      if ('prepare' in action) return await this.#runSteps(job, action, holder, signal)
      // Read once before anything is written: a file with an error in its last line changes nothing.
      if (job.rowsTotal === undefined && !(await this.#countRows(job, action, holder, signal))) return
      if (await this.#runRows(job, action, holder, signal)) await end('done')
    } catch (error) {
      const isRefused = error instanceof Refusal && !isOutage(error)
      if (!(error instanceof TableError || error instanceof NoAuthor || isRefused)) throw error
      await end('failed', error.message)
    }
  }

  /** The last step ends the job. */
  async #runSteps(job: BulkJob, action: StepAction, holder: string, signal: AbortSignal): Promise<void> {
    const { bulkJobs } = this.#deps
    let done = job.rowsDone
    let isOver = false
    const runStep = async () => {
      const actor = await this.#authorOf(job)
      const instructions = await bulkJobs.instructions(job.guid)
      if (!instructions) return false
      const work = await action.prepare(actor, { ...job, rowsDone: done }, instructions, signal)
      let step: JobStep | undefined
      const isOurs = await bulkJobs.runStep(job.guid, this.#lease(holder), done, async () => {
        step = await work()
        return step
      })
      done += step?.rows ?? 0
      isOver = step?.place === undefined
      return isOurs
    }
    while (!isOver && !signal.aborted) {
      if (!(await this.#inTurn(runStep))) return
    }
  }

  /** The access of today: a job does not outlive the account of its author, or the authorization of its application. */
  async #authorOf(job: BulkJob): Promise<Actor> {
    const { createdBy, clientId, groupGuid, isLimitedToGroups } = job
    const { accounts } = this.#deps
    const user = await accounts.actorByLogin(createdBy)
    if (!user) throw new NoAuthor(`The user who created the job no longer exists. ${howToGoOn(job)}`)
    if (clientId !== undefined) {
      const tokens = await accounts.listTokens(createdBy)
      const isAuthorized = tokens.some((token) => token.clientId === clientId && token.revokedAt === undefined)
      if (!isAuthorized)
        throw new NoAuthor(`The application that created the job is no longer authorized. ${howToGoOn(job)}`)
    }
    // Rows without a group belong to that of the job.
    const author = { ...user, clientId, defaultGroupGuid: groupGuid }
    return isLimitedToGroups ? limitedTo(author, [groupGuid]) : author
  }

  /** False: stop. */
  async #countRows(job: BulkJob, action: RowAction, holder: string, signal: AbortSignal): Promise<boolean> {
    const table = await this.#open(job, action, signal)
    let rows = 0
    for await (const _row of table) {
      if (signal.aborted) return false
      rows += 1
    }
    return this.#deps.bulkJobs.setTotal(job.guid, this.#lease(holder), rows)
  }

  /** False: stop. */
  async #runRows(job: BulkJob, action: RowAction, holder: string, signal: AbortSignal): Promise<boolean> {
    const table = await this.#open(job, action, signal)
    let done = job.rowsDone
    let skipped = 0
    let batch: TableRow[] = []
    const runBatch = async () => {
      const rows = batch
      batch = []
      const isOurs = await this.#inTurn(async () => {
        const actor = await this.#authorOf(job)
        const work = () => action.run(actor, job, rows)
        return this.#deps.bulkJobs.runBatch(job.guid, this.#lease(holder), done, work)
      })
      done += rows.length
      return isOurs && !signal.aborted
    }
    for await (const row of table) {
      if (signal.aborted) return false
      if (skipped < job.rowsDone) {
        skipped += 1
        continue
      }
      batch.push(row)
      if (batch.length === rowsPerBatch && !(await runBatch())) return false
    }
    return batch.length === 0 || runBatch()
  }

  /** In its turn, and with a pause for others. False: the job is no longer ours. */
  async #inTurn(run: () => Promise<boolean>): Promise<boolean> {
    await this.#turns.enter()
    try {
      const began = performance.now()
      const isOurs = await run()
      await this.#sleep(performance.now() - began)
      return isOurs
    } finally {
      this.#turns.leave()
    }
  }

  async #open({ parts }: BulkJob, { required }: RowAction, signal: AbortSignal): Promise<Table> {
    const table = await this.#deps.jobFiles.open(parts, signal)
    await requireColumns(table, required)
    return table
  }

  async #giveUp(job: BulkJob, holder: string): Promise<void> {
    const error = `Something went wrong on our side. It was logged. ${howToGoOn(job)}`
    await this.#deps.bulkJobs
      .finish(job.guid, holder, { state: 'failed', error, at: this.#deps.clock.now() })
      .catch((failure: unknown) => this.#deps.onFailure(failure, job.guid))
  }

  async #cleanUp(): Promise<void> {
    const { bulkJobs, unusedBlobs, clock } = this.#deps
    const before = clock.now() - keptDays * 86_400_000
    let more = true
    while (more && !this.#over.signal.aborted) {
      const ended = await bulkJobs.endedBefore(before, jobsPerCleanUpStep)
      for (const guid of ended) await bulkJobs.remove(guid, clock.now())
      more = ended.length === jobsPerCleanUpStep
    }
    // Also what others listed, such as files of forgotten exports.
    await unusedBlobs.deleteDue()
  }

  #lease(holder: string): Lease {
    const now = this.#deps.clock.now()
    return { holder, now, until: now + leaseLength }
  }

  async #nextJob(): Promise<void> {
    if (this.#isAwake) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pollInterval).unref()
      this.#rouse = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #sleep(milliseconds: number): Promise<void> {
    await wait(milliseconds, undefined, { signal: this.#over.signal, ref: false }).catch(() => {})
  }
}
