/** Jobs: adding, reading, cancelling and deleting them. What works on them is run-jobs.ts. */
import {
  type Actor,
  type GroupMembership,
  requireGroup,
  requireWriter,
  type WriterMembership,
} from '../accounts/actor.js'
import { domainPattern } from '../domains/domains.js'
import type { UnusedBlobs } from '../images/unused-blobs.js'
import { cursorOf, positionIn } from '../values/cursor.js'
import { isGuid, newGuid } from '../values/guid.js'
import { requireName } from '../values/names.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import type { Table } from '../values/table.js'
import type { Clock } from '../values/time.js'
import { type BulkJob, changeActions, exportActions, type FileAction, type JobAction } from './job.js'
import type { BulkJobStore } from './job-store.js'

/** Files that are worked on later, by this or another process. */
export interface JobFiles {
  /**
   * Stores what the stream gives, in parts that are deleted later unless a job keeps them. Never has more than a part in
   * memory. Throws PAYLOAD_TOO_LARGE.
   */
  write(stream: AsyncIterable<Uint8Array>): Promise<StoredFile>
  /** The bytes of a file, a piece after the other. */
  read(parts: readonly string[]): AsyncIterable<Uint8Array>
  /** Throws a `TableError` if it cannot be read. The signal ends the reading. */
  open(parts: readonly string[], signal?: AbortSignal): Promise<Table>
}

export interface StoredFile {
  readonly parts: readonly string[]
  readonly size: number
}

export interface JobDeps {
  readonly bulkJobs: BulkJobStore
  readonly jobFiles: JobFiles
  readonly unusedBlobs: Pick<UnusedBlobs, 'deleteDue'>
  readonly clock: Clock
  /** Tells those who work on jobs that there is one. */
  readonly jobAdded: () => void
}

export interface NewJobInput {
  readonly action: FileAction
  readonly domain: string | undefined
  readonly strict: boolean
  readonly name: string
}

/** More would only wait for days. */
const maxUnfinishedJobs = 20

export async function addJob(
  deps: JobDeps,
  actor: Actor,
  group: WriterMembership,
  file: AsyncIterable<Uint8Array>,
  input: NewJobInput,
): Promise<BulkJob> {
  if (input.name !== '') requireName(input.name, 'bulk_jobs')
  // Whether the group may use it is said for each row: it may change until then.
  if (input.domain !== undefined && !domainPattern.test(input.domain)) {
    throw invalid('domain', `${quoted(input.domain)} is not the name of a domain.`, 'bulk_jobs')
  }
  const { parts, size } = await deps.jobFiles.write(file)
  if (size === 0) throw new Refusal('UNPROCESSABLE_ENTITY', 'The body is empty. Send a CSV or XLSX file.')
  return storeJob(deps, actor, group, { ...input, parts, size })
}

/** A job whose file is stored, or that needs none: then `input` says what it has to do. */
export async function storeJob(
  deps: Pick<JobDeps, 'bulkJobs' | 'clock' | 'jobAdded'>,
  actor: Actor,
  { groupGuid, organizationGuid }: GroupMembership,
  wanted: Partial<StoredFile> & Partial<Omit<NewJobInput, 'action'>> & { action: JobAction; input?: unknown },
): Promise<BulkJob> {
  const job = {
    guid: newGuid('bulk-job'),
    organizationGuid,
    groupGuid,
    domain: undefined,
    strict: false,
    name: '',
    size: 0,
    parts: [],
    ...wanted,
    createdBy: actor.login,
    clientId: actor.clientId,
    isLimitedToGroups: actor.isLimitedToGroups === true,
    createdAt: deps.clock.now(),
  }
  const outcome = await deps.bulkJobs.add(job, maxUnfinishedJobs)
  if (outcome === 'too-many') {
    const message = `Your organization has ${maxUnfinishedJobs} jobs that are not finished. Wait for them, or cancel some.`
    throw new Refusal('CONFLICT', message, { resource: 'bulk_jobs' })
  }
  if (outcome === 'no-blob') throw new Error('a part of a file was deleted before its job was added')
  // Read first: the answer is the job before anything is done.
  const added = await readJob(deps, actor, job.guid, [job.action])
  deps.jobAdded()
  return added
}

/** With one of the actions: exports have their own paths. */
export async function readJob(
  { bulkJobs }: Pick<JobDeps, 'bulkJobs'>,
  actor: Actor,
  guid: string,
  actions: readonly JobAction[] = changeActions,
): Promise<BulkJob> {
  const job = isGuid(guid) ? await bulkJobs.find(guid) : undefined
  if (!job || !actions.includes(job.action)) throw noJob(actions)
  requireGroup(actor, job.groupGuid)
  return job
}

/** Like `readJob`, for an actor who may change it. */
export async function writableJob(deps: Pick<JobDeps, 'bulkJobs'>, actor: Actor, guid: string): Promise<BulkJob> {
  const job = await readJob(deps, actor, guid)
  requireWriter(actor, job.groupGuid)
  return job
}

export interface ListedJobs {
  readonly jobs: readonly BulkJob[]
  /** Continues the list; undefined at its end. */
  readonly searchAfter: string | undefined
}

export async function listJobs(
  { bulkJobs }: Pick<JobDeps, 'bulkJobs'>,
  actor: Actor,
  groupGuid: string,
  { size, searchAfter }: { readonly size: number; readonly searchAfter: string | undefined },
  actions: readonly JobAction[] = changeActions,
): Promise<ListedJobs> {
  requireGroup(actor, groupGuid)
  const position = searchAfter === undefined ? undefined : positionIn(searchAfter, 'bulk_jobs')
  const after = position && { createdAt: position.at, guid: position.id }
  const found = await bulkJobs.page({ groupGuid, actions, after, size: size + 1 })
  const jobs = found.slice(0, size)
  const last = found.length > size ? jobs.at(-1) : undefined
  return { jobs, searchAfter: last && cursorOf({ at: last.createdAt, id: last.guid }) }
}

/** Rows that are done stay done. `job` comes from `writableJob`. */
export async function cancelJob(
  deps: Pick<JobDeps, 'bulkJobs' | 'clock'>,
  actor: Actor,
  job: BulkJob,
): Promise<BulkJob> {
  const outcome = await deps.bulkJobs.cancel(job.guid, deps.clock.now())
  if (outcome === 'missing') throw noJob([job.action])
  if (outcome === 'ended') {
    const { one, resource } = namesOf([job.action])
    throw new Refusal('CONFLICT', `The ${one} has ended, so it cannot be cancelled.`, { resource })
  }
  return readJob(deps, actor, job.guid, [job.action])
}

/** Deletes the job and its file, not the links. `job` comes from `writableJob`. */
export async function removeJob(
  deps: Omit<JobDeps, 'jobAdded' | 'jobFiles'>,
  { guid }: Pick<BulkJob, 'guid'>,
): Promise<void> {
  await deps.bulkJobs.remove(guid, deps.clock.now())
  await deps.unusedBlobs.deleteDue()
}

function noJob(actions: readonly JobAction[]): Refusal {
  const { one, resource } = namesOf(actions)
  return new Refusal('NOT_FOUND', `There is no such ${one}.`, { resource })
}

/** Exports have their own paths. */
function namesOf([action]: readonly JobAction[]) {
  const isExport = (exportActions as readonly (JobAction | undefined)[]).includes(action)
  return isExport ? ({ one: 'export', resource: 'exports' } as const) : ({ one: 'job', resource: 'bulk_jobs' } as const)
}
