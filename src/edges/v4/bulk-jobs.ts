/** Files with many rows, and changes to all links that match, which are worked on in the background (docs/api/bulk.md#jobs). */

import { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import { type Actor, requireWriter, type WriterMembership } from '../../core/accounts/actor.js'
import { type ChangeMatchingDeps, changeMatching } from '../../core/bulk/change-matching.js'
import { type BulkJob, type ChangeAction, changeActions, fileActions } from '../../core/bulk/job.js'
import { type ResultDeps, resultRows } from '../../core/bulk/job-result.js'
import { addJob, cancelJob, type JobDeps, listJobs, readJob, removeJob, writableJob } from '../../core/bulk/jobs.js'
import { timestamp } from '../../core/values/time.js'
import { csvRow } from '../../lib/csv.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { bounds } from '../http/validation.js'
import { groupWriter, textIn } from './access.js'
import { type PresentDeps, shortUrl } from './present.js'
import { type RouteRequest, route } from './route.js'
import { fileNameBounds, guidBounds } from './schemas/bounds.js'
import { ErrorBody, refusals } from './schemas/error.js'
import { moment, named } from './schemas/fields.js'
import { changeOfEach } from './schemas/item-lists.js'
import { linkFilterInput, linkFilters } from './schemas/link-filters.js'
import { defaultSize, pageAnswer, pageFields, pagination } from './schemas/lists.js'

export type BulkJobRouteDeps = JobDeps & ResultDeps & ChangeMatchingDeps & PresentDeps

const fileTypes = [
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/octet-stream',
]

export const JobBody = Type.Object(
  {
    references: Type.Object({
      group: Type.String(),
      result: Type.String({ description: 'The file with the outcome of each row' }),
    }),
    guid: Type.String(),
    group_guid: Type.String({ description: 'Group of rows that name none' }),
    action: Type.Enum([...changeActions], {
      type: 'string',
      description: '`rename_tag`, `delete_tag`: of a tag that many have; these have no file',
    }),
    state: Type.String({ enum: ['waiting', 'running', 'done', 'failed', 'cancelled'] }),
    name: Type.String({ description: 'Of the file; empty when none was given' }),
    bytes: Type.Integer({ description: 'Size of the file' }),
    rows_total: Type.Optional(Type.Integer({ description: 'Present when the whole file was read once' })),
    rows_done: Type.Integer(),
    counts: Type.Object({
      created: Type.Integer({ description: 'New links' }),
      changed: Type.Integer({ description: 'Links that the group had already, or that were changed or deleted' }),
      refused: Type.Integer({ description: 'Rows with an error' }),
    }),
    error: Type.Optional(Type.String({ description: 'Why the job failed' })),
    created: moment(),
    created_by: Type.String({ description: 'Login' }),
    started: Type.Optional(moment()),
    finished: Type.Optional(moment()),
  },
  { $id: 'BulkJob' },
)

const AddQuery = Type.Object({
  action: Type.Optional(
    Type.Enum([...fileActions], {
      type: 'string',
      default: 'create',
      description: '`create`: a link for each row; `edit`, `delete`: change or delete the links in the column `link`',
    }),
  ),
  group_guid: Type.Optional(Type.String({ ...guidBounds, description: 'Default: your default group' })),
  domain: Type.Optional(Type.String({ description: 'Domain of rows that name none' })),
  strict: Type.Optional(Type.Boolean({ default: false, description: 'Refuse rows whose `keyword` is taken' })),
  name: Type.Optional(Type.String({ ...fileNameBounds, description: 'Name of the file' })),
})

/** More would be a file that no job accepts. */
const mostMatching = 1_000_000

const MatchingBody = Type.Object(
  {
    action: Type.Enum(['archive', 'edit_tags', 'delete'], { type: 'string', description: 'What to do with the links' }),
    ...changeOfEach('links'),
    max_links: Type.Integer({
      minimum: 1,
      maximum: mostMatching,
      description: 'Nothing is done when more links match, for example because a parameter of the query is misspelled',
    }),
    name: Type.Optional(Type.String({ ...fileNameBounds, description: 'Name of the job' })),
  },
  { examples: [{ action: 'edit_tags', add_tags: ['autumn'], remove_tags: ['summer'], max_links: 25_000 }] },
)

const ListQuery = Type.Object({
  group_guid: Type.Optional(Type.String({ ...guidBounds, description: 'Default: your default group' })),
  ...pageFields('Jobs per page', { default: defaultSize }),
})

const JobList = pageAnswer('jobs', named(JobBody, 'A job'), 'A page of jobs')

const RawFile = { schema: Type.Unsafe<AsyncIterable<Uint8Array>>(bounds({ type: 'string', format: 'binary' })) }
const rawFiles = Object.fromEntries(fileTypes.map((type) => [type, RawFile]))

const tag = 'Bulk'

export function bulkJobRoutes(http: TypedFastify, deps: BulkJobRouteDeps): void {
  const { baseUrl } = deps.config

  http.register(async (uploads: TypedFastify) => {
    // The stream itself: the file is never in memory as a whole.
    uploads.addContentTypeParser(fileTypes, (_request, payload, done) => done(null, payload))
    route(uploads, tag, 'createBulkJob: POST /v4/bulk/jobs', {
      scope: 'links:write',
      access: writerOfQuery,
      config: { contentTypes: fileTypes, streamsBody: true },
      summary: 'Create, change or delete many links by a file',
      description:
        'The body is a CSV or XLSX file of at most 100 MiB, whose first row names the columns. It is worked on in the ' +
        'background, one job of an organization after the other; rows that are wrong do not stop the others.',
      querystring: AddQuery,
      body: { content: rawFiles },
      response: {
        202: named(JobBody, 'The job, which waits for its turn'),
        409: named(ErrorBody, 'Too many jobs of the organization are not finished'),
        413: named(ErrorBody, 'The file is larger than 100 MiB'),
        415: named(ErrorBody, 'The body is neither CSV nor XLSX'),
        422: named(ErrorBody, 'The body is empty'),
      },
      answer: async ({ actor, body, query }, group) => {
        const { action = 'create', domain, strict = false, name = '' } = query
        const job = await addJob(deps, actor, group, body as AsyncIterable<Uint8Array>, {
          action,
          domain,
          strict,
          name,
        })
        return presentJob(job, baseUrl)
      },
    })
  })

  route(http, tag, 'createMatchingJob: POST /v4/groups/:group_guid/shortlinks/jobs', {
    scope: 'links:write',
    access: groupWriter,
    summary: 'Change all short links that match',
    description:
      'Archives, restores, tags or deletes all links that the list of the group has with the same parameters at this time. ' +
      'The answer is a job, whose file names these links.',
    querystring: Type.Object(linkFilters),
    body: MatchingBody,
    response: {
      202: named(JobBody, 'The job, which waits for its turn'),
      ...refusals(402, 404),
      409: named(ErrorBody, 'More than `max_links` links match, or too many jobs of the organization are not finished'),
      413: named(ErrorBody, 'The file would be larger than 100 MiB'),
    },
    answer: async ({ actor, body, query }, group) => {
      const { action, archive, add_tags, remove_tags, max_links, name = '' } = body
      const change = { action, archive, addTags: add_tags, removeTags: remove_tags, maxLinks: max_links, name }
      return presentJob(await changeMatching(deps, actor, group, linkFilterInput(query), change), baseUrl)
    },
  })

  route(http, tag, 'listBulkJobs: GET /v4/bulk/jobs', {
    scope: 'links:read',
    access: () => {},
    summary: 'List the jobs of a group',
    description: 'Newest first. Jobs are deleted a week after their end.',
    querystring: ListQuery,
    response: { 200: JobList },
    answer: async ({ actor, query, url }) => {
      const { group_guid = actor.defaultGroupGuid, size = defaultSize, search_after } = query
      const { jobs, searchAfter } = await listJobs(deps, actor, group_guid, { size, searchAfter: search_after })
      return {
        jobs: jobs.map((job) => presentJob(job, baseUrl)),
        pagination: pagination(baseUrl + url, searchAfter, size),
      }
    },
  })

  route(http, tag, 'getBulkJob: GET /v4/bulk/jobs/:job_guid', {
    scope: 'links:read',
    access: ({ actor, params }) => readJob(deps, actor, params.job_guid),
    summary: 'Get a job',
    description: 'Its state and progress.',
    response: { 200: named(JobBody, 'The job'), ...refusals(404) },
    answer: async (_request, job) => presentJob(job, baseUrl),
  })

  route(http, tag, 'getBulkJobResult: GET /v4/bulk/jobs/:job_guid/result', {
    scope: 'links:read',
    access: ({ actor, params }) => readJob(deps, actor, params.job_guid),
    summary: 'Get the result of a job',
    description:
      'CSV with the columns of the file and `link`, `remark` and `error`. These are empty in rows that are not done. Text ' +
      'that a spreadsheet would run as a formula is prefixed with an apostrophe.',
    response: {
      200: {
        description: 'The result',
        content: { 'text/csv': { schema: Type.Unsafe<string>(bounds({ type: 'string' })) } },
      },
      ...refusals(404),
      422: named(ErrorBody, 'The file cannot be read'),
    },
    answer: async (_request, job, reply) => {
      const { header, rows } = await resultRows(deps, job, (address) => shortUrl(address, deps))
      reply.header('content-disposition', `attachment; filename="${job.guid}.csv"`).type('text/csv; charset=utf-8')
      return reply.send(Readable.from(csvPieces(header, rows)) as never)
    },
  })

  route(http, tag, 'cancelBulkJob: POST /v4/bulk/jobs/:job_guid/cancel', {
    scope: 'links:write',
    access: ({ actor, params }) => writableJob(deps, actor, params.job_guid),
    summary: 'Cancel a job',
    description: 'Rows that are done stay done, and their result can be fetched.',
    response: { 200: named(JobBody, 'The job'), ...refusals(404), 409: named(ErrorBody, 'The job has ended') },
    answer: async ({ actor }, job) => presentJob(await cancelJob(deps, actor, job), baseUrl),
  })

  route(http, tag, 'deleteBulkJob: DELETE /v4/bulk/jobs/:job_guid', {
    scope: 'links:write',
    access: ({ actor, params }) => writableJob(deps, actor, params.job_guid),
    summary: 'Delete a job',
    description: 'Stops it, and deletes its file and its result. Links stay as they are.',
    response: { 204: Type.Null({ description: 'Deleted' }), ...refusals(404) },
    answer: (_request, job) => removeJob(deps, job),
  })
}

function writerOfQuery({ actor, query }: RouteRequest & { readonly actor: Actor }): WriterMembership {
  return requireWriter(actor, textIn(query, 'group_guid') || actor.defaultGroupGuid)
}

/** Some hundred rows at a time. */
async function* csvPieces(header: readonly string[], rows: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  let lines: (readonly string[])[] = [header]
  for await (const row of rows) {
    lines.push(row)
    if (lines.length < 200) continue
    yield lines.map(csvRow).join('')
    lines = []
  }
  if (lines.length > 0) yield lines.map(csvRow).join('')
}

export function presentJob(job: BulkJob, baseUrl: string): Static<typeof JobBody> {
  return {
    references: {
      group: `${baseUrl}/v4/groups/${job.groupGuid}`,
      result: `${baseUrl}/v4/bulk/jobs/${job.guid}/result`,
    },
    guid: job.guid,
    group_guid: job.groupGuid,
    // Exports have their own paths.
    action: job.action as ChangeAction,
    state: job.state,
    name: job.name,
    bytes: job.size,
    ...(job.rowsTotal !== undefined && { rows_total: job.rowsTotal }),
    rows_done: job.rowsDone,
    counts: job.counts,
    ...(job.error !== undefined && { error: job.error }),
    created: timestamp(job.createdAt),
    created_by: job.createdBy,
    ...(job.startedAt !== undefined && { started: timestamp(job.startedAt) }),
    ...(job.finishedAt !== undefined && { finished: timestamp(job.finishedAt) }),
  }
}
