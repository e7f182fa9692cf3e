/** Starts what works on files of users. A part of the composition root. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import type { JobFiles } from '../core/bulk/jobs.js'
import { type TagDeps, tagSteps } from '../core/bulk/manage-tags.js'
import { type RowActionDeps, rowActions } from '../core/bulk/row-actions.js'
import { BulkJobRunner } from '../core/bulk/run-jobs.js'
import { type ExportStepDeps, exportSteps } from '../core/exports/export-jobs.js'
import type { Refusal } from '../core/values/refusal.js'
import { clickLine } from '../edges/v4/engagement-reports.js'
import { answerV4 } from '../edges/v4/errors.js'
import { linkLine } from '../edges/v4/exports.js'
import type { PresentDeps } from '../edges/v4/present.js'
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
    Omit<ExportStepDeps, 'jobFiles' | 'linkLine' | 'clickLine'> &
    PresentDeps &
    Pick<TagDeps, 'tags' | 'clock'> &
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
  const files = filesWith(closing.add(new WorkbookThreads({ places: 2 })))
  const lines = {
    linkLine: (row: Parameters<typeof linkLine>[0]) => linkLine(row, deps),
    clickLine: (click: Parameters<typeof clickLine>[0]) => clickLine(click, deps),
  }
  const runner = closing.add(
    new BulkJobRunner({
      ...deps,
      jobFiles: files,
      actions: {
        ...rowActions({ ...deps, describe }),
        ...exportSteps({ ...deps, ...lines, jobFiles: files }),
        ...tagSteps(deps),
      },
      holder: `${hostname()}-${process.pid}-${randomUUID()}`,
      onFailure: (err, job) => log.error({ err, job }, 'a job was interrupted; it is tried again in some seconds'),
    }),
  )
  runner.start()
  return { jobFiles, jobAdded: () => runner.wake() }
}
