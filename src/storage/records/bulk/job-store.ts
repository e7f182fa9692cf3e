/** Jobs in SQL. What each method promises: job-store.contract.ts. */
import { type Kysely, type Selectable, type SqlBool, sql, type Transaction } from 'kysely'
import { type BulkJob, exportActions, type JobCounts, type JobStep, type RowOutcome } from '../../../core/bulk/job.js'
import type { BulkJobStore, Lease, NewJob } from '../../../core/bulk/job-store.js'
import { chunks } from '../../../lib/chunks.js'
import { changesRow, type RequestParts, type Transact } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { insertRows, newestFirst } from '../steps/rows.js'

export interface JobStoreOptions {
  /** Runs everything in one transaction, and again if it only lost a race. */
  readonly runAsOne: <T>(parts: RequestParts<T>) => Promise<T>
}

const keysAtOnce = 100

export function sqlBulkJobStore(db: Kysely<Schema>, transact: Transact, { runAsOne }: JobStoreOptions): BulkJobStore {
  /** Work on a job that this holder has, with its progress. False: it has not, or these rows are done. */
  async function runHeld<Done>(
    guid: string,
    { holder, until }: Lease,
    from: number,
    { work, end }: Pick<RequestParts<Done>, 'work' | 'end'>,
  ): Promise<boolean> {
    let isLost = false
    try {
      await runAsOne({
        begin: async (tx) => {
          const query = held(tx, guid, holder).set({ lease_until: until }).where('rows_done', '=', from)
          isLost = !(await changesRow(query))
          if (isLost) throw new Error(`the job ${guid} is no longer held by ${holder}`)
        },
        work,
        end,
      })
      return true
    } catch (error) {
      if (isLost) return false
      throw error
    }
  }

  return {
    // Serializable: two callers must not both be the last that fits.
    add: (job, mostUnfinished) => transact((tx) => add(tx, job, mostUnfinished), 'serializable'),

    async find(guid) {
      const row = await db.selectFrom('bulk_jobs').selectAll().where('guid', '=', guid).executeTakeFirst()
      return row && jobFrom(row)
    },

    async instructions(guid) {
      const query = db.selectFrom('bulk_jobs').select(['input', 'place']).where('guid', '=', guid)
      const row = await query.executeTakeFirst()
      return row && { input: fromJson(row.input), place: fromJson(row.place) }
    },

    async page({ groupGuid, actions, after, size }) {
      const ofGroup = db
        .selectFrom('bulk_jobs')
        .selectAll()
        .where('group_guid', '=', groupGuid)
        .where('action', 'in', actions)
      const place = after && ([after.createdAt, after.guid] as const)
      return (await newestFirst(ofGroup, ['created_at', 'guid'], place, size).execute()).map(jobFrom)
    },

    // Serializable: two callers must not begin two jobs of one organization.
    claim: (lease) => transact((tx) => claim(tx, lease), 'serializable'),

    setTotal: (guid, { holder, until }, rowsTotal) =>
      transact((tx) =>
        changesRow(
          held(tx, guid, holder).set({
            lease_until: until,
            ...(rowsTotal !== undefined && { rows_total: rowsTotal }),
          }),
        ),
      ),

    runBatch: (guid, lease, from, work) =>
      runHeld(guid, lease, from, { work, end: (tx, outcomes) => writeOutcomes(tx, guid, from, outcomes) }),

    runStep: (guid, lease, from, work) =>
      runHeld(guid, lease, from, { work, end: (tx, step) => writeStep(tx, guid, from, step, lease.now) }),

    finish: (guid, holder, { state, error, at }) =>
      transact((tx) =>
        changesRow(
          held(tx, guid, holder).set({ state, error: error ?? null, finished_at: at, holder: null, lease_until: 0 }),
        ),
      ),

    cancel: (guid, at) =>
      transact(async (tx) => {
        const query = tx
          .updateTable('bulk_jobs')
          .set({ state: 'cancelled', finished_at: at, holder: null, lease_until: 0 })
          .where('guid', '=', guid)
          .where('state', 'in', ['waiting', 'running'])
        if (await changesRow(query)) return 'cancelled'
        const job = await tx.selectFrom('bulk_jobs').select('guid').where('guid', '=', guid).executeTakeFirst()
        return job ? 'ended' : 'missing'
      }),

    remove: (guid, at) => transact((tx) => removeJob(tx, guid, at)),

    async outcomes(guid, from) {
      const row = await db
        .selectFrom('bulk_results')
        .select(['first_row', 'outcomes'])
        .where('job_guid', '=', guid)
        .where('first_row', '>=', from)
        .orderBy('first_row')
        .limit(1)
        .executeTakeFirst()
      return row && { first: row.first_row, outcomes: outcomesFrom(row.outcomes) }
    },

    async endedBefore(at, limit) {
      const rows = await db
        .selectFrom('bulk_jobs')
        .select('guid')
        .where('state', 'in', ['done', 'failed', 'cancelled'])
        .where('finished_at', '<', at)
        .limit(limit)
        .execute()
      return rows.map(({ guid }) => guid)
    },

    releaseAll: () =>
      transact(async (tx) => {
        await tx.updateTable('bulk_jobs').set({ lease_until: 0 }).where('state', '=', 'running').execute()
      }),
  }
}

async function add(
  tx: Transaction<Schema>,
  job: NewJob,
  mostUnfinished: number,
): Promise<'added' | 'no-blob' | 'too-many'> {
  const { unfinished } = await tx
    .selectFrom('bulk_jobs')
    .select(({ fn }) => fn.countAll<number | string>().as('unfinished'))
    .where('organization_guid', '=', job.organizationGuid)
    .where('state', 'in', ['waiting', 'running'])
    .executeTakeFirstOrThrow()
  if (Number(unfinished) >= mostUnfinished) return 'too-many'
  if (!(await keepBlobs(tx, job.parts))) return 'no-blob'
  await insertRows(tx, 'bulk_jobs', { ...jobColumns.columns(job), state: 'waiting' })
  return 'added'
}

/** They no longer count as unused. False: one was deleted. */
async function keepBlobs(tx: Transaction<Schema>, parts: readonly string[]): Promise<boolean> {
  let kept = 0
  for (const some of chunks(parts, keysAtOnce)) {
    const { numDeletedRows } = await tx.deleteFrom('unused_blobs').where('blob_key', 'in', some).executeTakeFirst()
    kept += Number(numDeletedRows)
  }
  return kept === parts.length
}

async function claim(tx: Transaction<Schema>, { holder, now, until }: Lease): Promise<BulkJob | undefined> {
  const open = await tx
    .selectFrom('bulk_jobs as job')
    .select('job.guid')
    .where(({ eb, or, and, not, exists, selectFrom }) =>
      or([
        and([eb('job.state', '=', 'running'), or([eb('job.holder', '=', holder), eb('job.lease_until', '<=', now)])]),
        and([
          eb('job.state', '=', 'waiting'),
          not(
            exists(
              selectFrom('bulk_jobs as other')
                .select('other.guid')
                .whereRef('other.organization_guid', '=', 'job.organization_guid')
                .where('other.state', '=', 'running')
                .where(sql<SqlBool>`(${isExport('other')}) = (${isExport('job')})`),
            ),
          ),
        ]),
      ]),
    )
    .orderBy('job.created_at')
    .orderBy('job.guid')
    .limit(1)
    .executeTakeFirst()
  if (!open) return undefined
  const row = await tx
    .updateTable('bulk_jobs')
    .set(({ fn, val }) => ({
      state: 'running',
      holder,
      lease_until: until,
      started_at: fn.coalesce('started_at', val(now)),
    }))
    .where('guid', '=', open.guid)
    .returningAll()
    .executeTakeFirst()
  return row && jobFrom(row)
}

/** An update of a job that this holder works on. */
function held(tx: Transaction<Schema>, guid: string, holder: string) {
  return tx
    .updateTable('bulk_jobs')
    .where('guid', '=', guid)
    .where('holder', '=', holder)
    .where('state', '=', 'running')
}

function isExport(table: string) {
  return sql<SqlBool>`${sql.ref(`${table}.action`)} in (${sql.join(exportActions)})`
}

async function writeStep(
  tx: Transaction<Schema>,
  guid: string,
  from: number,
  { rows, place, rowsTotal, file }: JobStep,
  at: number,
): Promise<void> {
  const done = from + rows
  const isLast = place === undefined
  if (file && file.parts.length > 0) {
    if (!(await keepBlobs(tx, file.parts))) throw new Error('a part of an export was deleted before its step ended')
    const job = await tx.selectFrom('bulk_jobs').select('parts').where('guid', '=', guid).executeTakeFirstOrThrow()
    const parts = JSON.stringify([...(JSON.parse(job.parts) as string[]), ...file.parts])
    await tx
      .updateTable('bulk_jobs')
      .set(({ eb }) => ({ parts, size: eb('size', '+', file.size) }))
      .where('guid', '=', guid)
      .execute()
  }
  await tx
    .updateTable('bulk_jobs')
    .set(({ eb }) => ({
      rows_done: done,
      changed: eb('changed', '+', rows),
      place: isLast ? null : JSON.stringify(place),
      ...(rowsTotal !== undefined && { rows_total: rowsTotal }),
      // What matched at the beginning may be gone.
      ...(isLast && { rows_total: done, state: 'done' as const, finished_at: at, holder: null, lease_until: 0 }),
    }))
    .where('guid', '=', guid)
    .execute()
}

function fromJson(text: string | null): unknown {
  return text === null ? undefined : JSON.parse(text)
}

async function writeOutcomes(
  tx: Transaction<Schema>,
  guid: string,
  from: number,
  outcomes: readonly RowOutcome[],
): Promise<void> {
  const count = (kind: keyof JobCounts) => outcomes.filter((outcome) => outcome.kind === kind).length
  await insertRows(tx, 'bulk_results', {
    job_guid: guid,
    first_row: from,
    outcomes: JSON.stringify(outcomes.map(cellsOf)),
  })
  await tx
    .updateTable('bulk_jobs')
    .set(({ eb }) => ({
      rows_done: from + outcomes.length,
      created: eb('created', '+', count('created')),
      changed: eb('changed', '+', count('changed')),
      refused: eb('refused', '+', count('refused')),
    }))
    .where('guid', '=', guid)
    .execute()
}

export async function removeJob(tx: Transaction<Schema>, guid: string, at: number): Promise<'removed' | 'missing'> {
  const job = await tx.deleteFrom('bulk_jobs').where('guid', '=', guid).returning('parts').executeTakeFirst()
  if (!job) return 'missing'
  for (const some of chunks(JSON.parse(job.parts) as string[], keysAtOnce)) {
    await insertRows(
      tx,
      'unused_blobs',
      some.map((key) => ({ blob_key: key, due_at: at })),
    )
  }
  await tx.deleteFrom('bulk_results').where('job_guid', '=', guid).execute()
  return 'removed'
}

function cellsOf({ kind, link, note, error }: RowOutcome): readonly string[] {
  return [kind, link, note, error]
}

function outcomesFrom(text: string): readonly RowOutcome[] {
  const rows: readonly [RowOutcome['kind'], string, string, string][] = JSON.parse(text)
  return rows.map(([kind, link, note, error]) => ({ kind, link, note, error }))
}

const jobColumns = codec('bulk_jobs', ['created', 'changed', 'refused', 'holder', 'leaseUntil', 'input', 'place'])

function jobFrom(row: Selectable<Schema['bulk_jobs']>): BulkJob {
  const { created, changed, refused } = row
  return jobColumns.fieldsWith(row, { counts: { created, changed, refused } })
}
