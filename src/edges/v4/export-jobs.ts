/** Exports of any size, which are worked on in the background (docs/api/exports.md). An addition to the public API. */
import { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import type { BulkJob } from '../../core/bulk/job.js'
import { maxShortlinks } from '../../core/exports/export.js'
import {
  cancelExport,
  type ExportJobDeps,
  exportedFile,
  exportJobTypes,
  exportLinks,
  exportTypeOf,
  listExports,
  ownExport,
  readExport,
  removeExport,
} from '../../core/exports/export-jobs.js'
import { timestamp } from '../../core/values/time.js'
import { csvRow } from '../../lib/csv.js'
import { namesFor } from '../http/link-words.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { bounds, mayBeMissing } from '../http/validation.js'
import { groupMember } from './access.js'
import { linkColumns } from './exports.js'
import type { PresentDeps } from './present.js'
import { route } from './route.js'
import { addressBounds } from './schemas/bounds.js'
import { ErrorBody, refusals } from './schemas/error.js'
import { moment, named, optionalFlag } from './schemas/fields.js'
import { linkFilterInput, linkFilters } from './schemas/link-filters.js'
import { defaultSize, epochSeconds, pageAnswer, pageFields, pagination } from './schemas/lists.js'

export type ExportJobRouteDeps = ExportJobDeps & PresentDeps

export const ExportJobBody = Type.Object(
  {
    references: Type.Object({
      group: Type.String(),
      file: Type.String({ description: 'The CSV file, when the export is done' }),
    }),
    guid: Type.String(),
    group_guid: Type.String(),
    export_type: Type.Enum([...exportJobTypes], {
      type: 'string',
      description: '`links`: a row for each short link; `engagements`: a row for each click and scan',
    }),
    state: Type.String({ enum: ['waiting', 'running', 'done', 'failed', 'cancelled'] }),
    bytes: Type.Integer({ description: 'Size of the file until now' }),
    rows_total: Type.Optional(Type.Integer({ description: 'Present when the rows were counted' })),
    rows_done: Type.Integer({ description: 'Rows in the file until now, without the header' }),
    error: Type.Optional(Type.String({ description: 'Why the export failed' })),
    created: moment(),
    created_by: Type.String({ description: 'Login' }),
    started: Type.Optional(moment()),
    finished: Type.Optional(moment()),
  },
  { $id: 'Export' },
)

const LinksBody = Type.Object(
  {
    shortlinks: Type.Optional(
      Type.Array(Type.String(addressBounds), {
        ...bounds({ minItems: 1, maxItems: maxShortlinks }),
        description: `Instead of the filters: ids of 1 to ${maxShortlinks} short links`,
      }),
    ),
    include_metrics: optionalFlag('Add columns with engagements', { default: false }),
    unix_from: epochSeconds('Engagements at or after this time, in epoch seconds; by default the last 30 days'),
    unix_to: epochSeconds('Engagements before this time, in epoch seconds'),
  },
  { ...mayBeMissing, examples: [{ include_metrics: true }] },
)

const ExportList = pageAnswer('exports', named(ExportJobBody, 'An export'), 'A page of exports')

export const exportAnswers = {
  202: named(ExportJobBody, 'The export, which waits for its turn'),
  409: named(ErrorBody, 'Too many jobs of the organization are not finished'),
}

const params = { export_guid: Type.String({ description: 'Guid of the export', examples: ['J5hTm2Wq8Zk'] }) }
const tag = 'Groups'

export function exportJobRoutes(http: TypedFastify, deps: ExportJobRouteDeps): void {
  const { baseUrl } = deps.config
  const read = ({ actor, params: { export_guid } }: Asked) => readExport(deps, actor, export_guid)
  const own = ({ actor, params: { export_guid } }: Asked) => ownExport(deps, actor, export_guid)
  type Asked = { actor: Parameters<typeof readExport>[1]; params: { readonly export_guid: string } }

  route(http, tag, 'exportShortlinks: POST /v4/groups/:group_guid/shortlinks/exports', {
    scope: 'exports',
    access: groupMember,
    summary: 'Export all short links that match',
    description:
      'Writes the short links that the list of the group has with the same parameters into a CSV file, in the background. ' +
      'The answer is an export, which tells its state; its file can be fetched for a week. Text that a spreadsheet would run ' +
      'as a formula is prefixed with an apostrophe.',
    querystring: Type.Object(linkFilters),
    body: LinksBody,
    response: { ...exportAnswers, ...refusals(402, 404) },
    answer: async (request) => {
      const { shortlinks, include_metrics: includeMetrics = false, unix_from, unix_to } = request.body
      const job = await exportLinks(deps, request.actor, request.params.group_guid, {
        shortlinks,
        filter: linkFilterInput(request.query),
        includeMetrics,
        unixFrom: unix_from,
        unixTo: unix_to,
        header: csvRow(linkColumns(includeMetrics).map(namesFor(request))),
      })
      return presentExportJob(job, baseUrl)
    },
  })

  route(http, tag, 'listExports: GET /v4/groups/:group_guid/exports', {
    scope: 'exports',
    access: groupMember,
    summary: 'List the exports of a group',
    description: 'Newest first. Exports and their files are deleted a week after their end.',
    querystring: Type.Object(pageFields('Exports per page', { default: defaultSize })),
    response: { 200: ExportList },
    answer: async ({ actor, params: { group_guid }, query, url }) => {
      const { size = defaultSize, search_after } = query
      const { jobs, searchAfter } = await listExports(deps, actor, group_guid, { size, searchAfter: search_after })
      return {
        exports: jobs.map((job) => presentExportJob(job, baseUrl)),
        pagination: pagination(baseUrl + url, searchAfter, size),
      }
    },
  })

  route(http, tag, 'getExport: GET /v4/exports/:export_guid', {
    scope: 'exports',
    params,
    access: read,
    summary: 'Get an export',
    description: 'Its state and progress.',
    response: { 200: named(ExportJobBody, 'The export'), ...refusals(404) },
    answer: async (_request, job) => presentExportJob(job, baseUrl),
  })

  route(http, tag, 'getExportFile: GET /v4/exports/:export_guid/file', {
    scope: 'exports',
    params,
    access: read,
    // A browser that saves it sends no header of ours.
    config: { sameOriginSession: true },
    summary: 'Get the file of an export',
    description: 'CSV, until a week after the end of the export.',
    response: {
      200: {
        description: 'The file',
        content: { 'text/csv': { schema: Type.Unsafe<string>(bounds({ type: 'string' })) } },
      },
      ...refusals(404),
      409: named(ErrorBody, 'The export is not done'),
    },
    answer: (_request, job, reply) => {
      const bytes = exportedFile(deps, job)
      const name = `${exportTypeOf(job.action)}-${timestamp(job.createdAt).slice(0, 10)}-${job.guid}.csv`
      reply.header('content-disposition', `attachment; filename="${name}"`).type('text/csv; charset=utf-8')
      return reply.send(Readable.from(bytes, { objectMode: false }) as never) as never
    },
  })

  route(http, tag, 'cancelExport: POST /v4/exports/:export_guid/cancel', {
    scope: 'exports',
    params,
    access: own,
    summary: 'Cancel an export',
    description: 'Allowed to those who made it, and to those who may change the group. It has no file then.',
    response: { 200: named(ExportJobBody, 'The export'), ...refusals(404), 409: named(ErrorBody, 'It has ended') },
    answer: async ({ actor }, job) => presentExportJob(await cancelExport(deps, actor, job), baseUrl),
  })

  route(http, tag, 'deleteExport: DELETE /v4/exports/:export_guid', {
    scope: 'exports',
    params,
    access: own,
    summary: 'Delete an export',
    description: 'Stops it, and deletes its file.',
    response: { 204: Type.Null({ description: 'Deleted' }), ...refusals(404) },
    answer: (_request, job) => removeExport(deps, job),
  })
}

export function presentExportJob(job: BulkJob, baseUrl: string): Static<typeof ExportJobBody> {
  return {
    references: {
      group: `${baseUrl}/v4/groups/${job.groupGuid}`,
      file: `${baseUrl}/v4/exports/${job.guid}/file`,
    },
    guid: job.guid,
    group_guid: job.groupGuid,
    export_type: exportTypeOf(job.action),
    state: job.state,
    bytes: job.size,
    ...(job.rowsTotal !== undefined && { rows_total: job.rowsTotal }),
    rows_done: job.rowsDone,
    ...(job.error !== undefined && { error: job.error }),
    created: timestamp(job.createdAt),
    created_by: job.createdBy,
    ...(job.startedAt !== undefined && { started: timestamp(job.startedAt) }),
    ...(job.finishedAt !== undefined && { finished: timestamp(job.finishedAt) }),
  }
}
