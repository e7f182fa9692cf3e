/** The result of a job: the rows of its file with what became of them. */
import { columnKey, type Table, TableError, type TableRow } from '../values/table.js'
import type { BulkJob, RowOutcome } from './job.js'
import type { BulkJobStore } from './job-store.js'
import type { JobFiles } from './jobs.js'

export interface ResultDeps {
  readonly bulkJobs: Pick<BulkJobStore, 'outcomes'>
  readonly jobFiles: Pick<JobFiles, 'open'>
}

export interface JobResult {
  readonly header: readonly string[]
  readonly rows: AsyncIterable<readonly string[]>
}

/** `remark`, because a `note` of the file is that of the link. */
const outcomeColumns = ['link', 'remark', 'error']

/**
 * Of a file that cannot be read to its end, the rows before, and one with the reason. Columns of the file that are called
 * like those of the outcome are left out, so that a result can be sent again.
 */
export async function resultRows(
  { bulkJobs, jobFiles }: ResultDeps,
  job: BulkJob,
  shown: (address: string) => string,
): Promise<JobResult> {
  if (job.parts.length === 0) return { header: outcomeColumns, rows: noRows() }
  const table = await jobFiles.open(job.parts)
  const positions = table.columns.flatMap((name, at) => (outcomeColumns.includes(columnKey(name)) ? [] : [at]))
  const header = [...positions.map((at) => table.columns[at] ?? ''), ...outcomeColumns]
  return { header, rows: rowsOf(table, outcomesOf(bulkJobs, job.guid)) }

  async function* rowsOf(
    table: Table,
    outcomes: AsyncGenerator<RowOutcome | undefined>,
  ): AsyncGenerator<readonly string[]> {
    try {
      for await (const row of table) {
        const { value } = await outcomes.next()
        yield [...positions.map((at) => row.values[at] ?? ''), ...cellsOf(row, value || undefined)]
      }
    } catch (error) {
      if (!(error instanceof TableError)) throw error
      yield [...positions.map(() => ''), '', '', error.message]
    }
  }

  /** A row that was refused keeps the link that it names. */
  function cellsOf(row: TableRow, outcome: RowOutcome | undefined): readonly string[] {
    const link = outcome?.link ? shown(outcome.link) : job.action === 'create' ? '' : row.get('link')
    return [link, outcome?.note ?? '', outcome?.error ?? '']
  }
}

/** A job without a file has none. */
async function* noRows(): AsyncGenerator<readonly string[]> {}

/** One for each row; undefined for those that are missing. */
async function* outcomesOf(bulkJobs: ResultDeps['bulkJobs'], guid: string): AsyncGenerator<RowOutcome | undefined> {
  for (let row = 0; ; ) {
    const batch = await bulkJobs.outcomes(guid, row)
    if (!batch) return
    for (; row < batch.first; row += 1) yield undefined
    yield* batch.outcomes
    row += batch.outcomes.length
  }
}
