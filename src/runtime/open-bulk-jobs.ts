/** Starts what works on files of users. A part of the composition root. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import type { JobFiles } from '../core/bulk/jobs.js'
import { type RowActionDeps, rowActions } from '../core/bulk/row-actions.js'
import { BulkJobRunner } from '../core/bulk/run-jobs.js'
import type { Refusal } from '../core/values/refusal.js'
import { answerV4 } from '../edges/v4/errors.js'
import type { Closing } from '../lib/closing.js'
import type { Records } from '../storage/records/records.js'
import { blobJobFiles } from '../storage/tables/job-files.js'
import type { OpenedImages } from './open-images.js'
import { WorkbookThreads } from './threads/workbook-threads.js'

export interface OpenedBulkJobs {
  readonly jobFiles: JobFiles
  readonly jobAdded: () => void
}

/** Files with many rows, and what works on them while the service runs. */
export async function openBulkJobs(
  config: Config,
  log: Logger,
  deps: Omit<RowActionDeps, 'describe'> &
    Pick<Records, 'bulkJobs' | 'accounts' | 'images'> &
    Pick<OpenedImages, 'blobs' | 'unusedBlobs'>,
  closing: Closing,
): Promise<OpenedBulkJobs> {
  const filesWith = (threads: WorkbookThreads) =>
    blobJobFiles({ ...deps, workbookRows: (open, signal) => threads.rows(open, signal) })
  // Jobs do not wait for those who fetch results.
  const jobFiles = filesWith(closing.add(new WorkbookThreads({ places: 1 })))
  const describe = (refusal: Refusal) => {
    const { message, description } = answerV4(refusal, '/v4/shorten').body
    return `${message}: ${description}`
  }
  // With SQLite there is one process: nobody else can be working on a job.
  if (config.databaseUrl === undefined) await deps.bulkJobs.releaseAll()
  const runner = closing.add(
    new BulkJobRunner({
      ...deps,
      jobFiles: filesWith(closing.add(new WorkbookThreads({ places: 2 }))),
      actions: rowActions({ ...deps, describe }),
      holder: `${hostname()}-${process.pid}-${randomUUID()}`,
      onFailure: (err, job) =>
        log.error({ err, job }, 'a job on a file was interrupted; it is tried again in some seconds'),
    }),
  )
  runner.start()
  return { jobFiles, jobAdded: () => runner.wake() }
}
