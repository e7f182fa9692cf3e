/** What all metric operations share: query parameters, JSON and CSV. Does not know what an operation counts. */
import type { FastifyRequest } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import { allDimensions, type EngagementKind, type VisitKind } from '../../core/clicks/dimensions.js'
import type { DimensionFilter } from '../../core/clicks/metrics-query.js'
import { parseFilter, type WrittenFilter } from '../../core/metrics/filters.js'
import type { ReportDeps } from '../../core/metrics/report.js'
import { type ReportInput, type Subject, traffics } from '../../core/metrics/report-subject.js'
import type { Clock } from '../../core/values/time.js'
import { parseWindow, units } from '../../core/values/window.js'
import { type CsvCell, csvText } from '../../lib/csv.js'
import { prefersCsv } from '../http/media-types.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { type RouteRequest, route } from './route.js'
import { filterBounds, timestampBounds, unitsBounds, zoneBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { optionalText } from './schemas/fields.js'

export interface Operation<Deps extends ReportDeps = ReportDeps, S extends Subject = Subject> {
  /** Relative to the path of the link, custom link, group, campaign or QR code. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly kinds: readonly VisitKind[]
  readonly report: MetricReport<Deps, S>
  /** The same, of this operation. */
  readonly params?: Readonly<Record<string, TSchema>>
  /** By the parameter `dimension` of the path, instead of `report`. */
  readonly reports?: Readonly<Record<string, MetricReport<Deps, S>>>
}

/** What has metrics. */
export interface MetricPlace<S extends Subject> {
  readonly path: string
  /** Parameters of the path that are not as in schemas/path.ts. */
  readonly params?: Readonly<Record<string, TSchema>>
  readonly statuses: readonly (404 | 410)[]
  /** Filters by records. */
  readonly query?: Readonly<Record<string, TSchema>>
  readonly access: (actor: RouteRequest['actor'], params: Readonly<Record<string, string>>) => S | Promise<S>
  /** The subject that parameters of the query name, instead. */
  readonly narrow?: (actor: RouteRequest['actor'], query: object) => Promise<S>
  readonly records?: (subject: S) => RecordFilters
}

/** How a metric is computed and formatted. */
export interface MetricReport<Deps extends ReportDeps = ReportDeps, S extends Subject = Subject> {
  readonly schema: TSchema
  readonly description: string
  /** Maximum and default number of rows; undefined for reports without ranked rows. */
  readonly rows?: { readonly max: number; readonly preset: number }
  /** Parameters that only this report has. */
  readonly query?: Readonly<Record<string, TSchema>>
  /** What they can name and does not exist. */
  readonly statuses?: readonly 404[]
  readonly json: (deps: Deps, input: MetricInput<S>) => Promise<unknown>
  readonly csv?: Csv<Deps, S>
}

type Lines = readonly (readonly CsvCell[])[]

interface Csv<Deps extends ReportDeps, S extends Subject = Subject> {
  /** As documented, including the separator, which the rows use too. */
  readonly header: string
  readonly lines: (deps: Deps, input: MetricInput<S>) => Promise<Lines>
}

export interface MetricInput<S extends Subject = Subject> extends ReportInput<S> {
  readonly size: number
  /** Top scans only. */
  readonly decoupled: boolean
  /** Lists of single engagements only: the cursor of the page, and the URL of the request. */
  readonly searchAfter: string | undefined
  readonly url: string
  /** The ranking of links only: who asks, and for which links. */
  readonly actor: RouteRequest['actor']
  readonly query: object
}

/** For every operation that has a time window. */
export const unitsQuery = {
  unit: Type.Optional(Type.Enum([...units], { type: 'string', default: 'day' })),
  units: Type.Optional(
    Type.Integer({
      ...unitsBounds,
      default: -1,
      description: 'Number of units, 1 to 50,000; -1 for all. A series of more than 50,000 units returns 400.',
    }),
  ),
  unit_reference: optionalText(
    'A time in the last unit of the window, `YYYY-MM-DDThh:mm:ss±hhmm`; now by default. Units are whole: the rest ' +
      'of that unit, after this time, is counted too. Days, weeks and months begin at midnight of its ' +
      'offset, weeks on Monday.',
    timestampBounds,
  ),
}

/** The window, in whose zone, and of which traffic. The last two are additions to the public API. */
export const trafficQuery = {
  ...unitsQuery,
  zone: optionalText(
    'Time zone such as `Europe/Berlin` in which units begin, with daylight saving time; overrides the offset of `unit_reference`',
    zoneBounds,
  ),
  traffic: Type.Optional(
    Type.Enum([...traffics], {
      type: 'string',
      default: 'human',
      description:
        'Which traffic to count. `bots`: only crawlers, link previews, prefetches and HEAD requests; `agents`: only the AI agents among them',
    }),
  ),
}

const windowQuery = {
  ...trafficQuery,
  // An addition, too.
  measure: Type.Optional(
    Type.Enum(['clicks', 'visitors'], {
      type: 'string',
      default: 'clicks',
      description: '`visitors`: count each visitor once per day and row',
    }),
  ),
}

const WindowQuery = Type.Object(windowQuery)

/** Dimensions with a filter. Filters are an addition to the public API, too. */
const filters = allDimensions.flatMap(({ name: by, filter: name, example }) =>
  name === undefined ? [] : [{ name, by, example }],
)

export function filterParameter(example = '') {
  const description = `Only clicks that match, such as \`is:${example}\` or \`is_not:${example}\`; several values are separated by commas`
  return Type.Optional(Type.String({ ...filterBounds, description }))
}

const filterQuery = Object.fromEntries(filters.map(({ name, example }) => [name, filterParameter(example)]))

interface Query extends Static<typeof WindowQuery>, Readonly<Partial<Record<RecordName, string>>> {
  readonly size?: number
  readonly decoupled?: boolean
  readonly kind?: EngagementKind
  readonly search_after?: string
}

function schemaOf(
  { operationId, summary, report, params }: Pick<Operation, 'operationId' | 'summary' | 'params'> & Described,
  place: Pick<MetricPlace<never>, 'params' | 'statuses' | 'query'>,
) {
  const { schema, description, csv, rows, query, statuses = [] } = report
  const content = {
    'application/json': { schema },
    ...(csv && { 'text/csv': { schema: Type.String({ description: `Columns: ${csv.header}` }) } }),
  }
  const size = rows && {
    size: Type.Optional(
      Type.Integer({ minimum: 1, maximum: rows.max, default: rows.preset, description: 'Maximum number of rows' }),
    ),
  }
  return {
    operationId,
    summary,
    description: csv ? `${description} \`Accept: text/csv\` returns CSV.` : description,
    params: { ...place.params, ...params },
    querystring: Type.Object({ ...windowQuery, ...filterQuery, ...place.query, ...size, ...query }),
    response: {
      200: { description: 'The metric values', content },
      // Filters may need a feature of the plan, even where the report needs none.
      ...refusals(...place.statuses, ...statuses, 402),
    },
  }
}

/** The part of a report that its schema needs. */
interface Described {
  readonly report: Pick<MetricReport, 'schema' | 'description' | 'rows' | 'query' | 'statuses'> & {
    readonly csv?: Pick<Csv<never>, 'header'>
  }
}

/** The access check, the parameters and the report of a request, for other operations on what has metrics. */
export function reportRequest<Deps extends ReportDeps & { readonly clock: Clock }, S extends Subject>(
  deps: Deps,
  place: MetricPlace<S>,
  kinds: readonly VisitKind[],
  own: Readonly<Record<string, TSchema>>,
) {
  return {
    ...(place.params && { params: place.params }),
    querystring: Type.Object({ ...windowQuery, ...filterQuery, ...place.query, ...own }),
    access: ({ actor, params }: RouteRequest) => place.access(actor, params as Readonly<Record<string, string>>),
    report: async ({ query }: Pick<RouteRequest, 'query'>, subject: S) =>
      reportOf(deps, kinds, subject, query as Query, place.records?.(subject)),
  }
}

export function metricRoute<Deps extends ReportDeps & { readonly clock: Clock }, S extends Subject>(
  http: TypedFastify,
  deps: Deps,
  place: MetricPlace<S>,
  operation: Operation<Deps, S>,
): void {
  route(http, 'Metrics', `GET /v4/${place.path}/${operation.path}`, {
    scope: 'analytics:read',
    access: ({ actor, params }: RouteRequest) => place.access(actor, params as Readonly<Record<string, string>>),
    ...schemaOf(operation, place),
    answer: async (request, whole: S, reply) => {
      const subject = place.narrow ? await place.narrow(request.actor, Object(request.query)) : whole
      const { dimension = '' } = request.params as { readonly dimension?: string }
      const report = operation.reports?.[dimension] ?? operation.report
      return runMetric({ ...operation, report }, deps, subject, request, reply, place.records?.(subject))
    },
  })
}

/** Filters that the records resolve, by their parameter: which addresses they mean for the subject. */
type RecordFilters = Readonly<Partial<Record<RecordName, (filter: WrittenFilter) => Promise<DimensionFilter>>>>
type RecordName = (typeof recordNames)[number]
const recordNames = ['link', 'channel', 'tag'] as const

async function filtersOf(
  query: object & Readonly<Partial<Record<RecordName, string>>>,
  records: RecordFilters,
): Promise<readonly DimensionFilter[]> {
  const written = query as Readonly<Record<string, string | undefined>>
  const found = filters.flatMap(({ name, by }) => {
    const text = written[name]
    return text === undefined ? [] : [{ by, ...parseFilter(name, text) }]
  })
  const resolved = recordNames.flatMap((name) => {
    const [text, resolve] = [query[name], records[name]]
    return text === undefined || !resolve ? [] : [resolve(parseFilter(name, text))]
  })
  return [...found, ...(await Promise.all(resolved))]
}

/** The route's access check has loaded the subject; this parses the query and runs the report. */
async function runMetric<Deps extends ReportDeps & { readonly clock: Clock }, S extends Subject>(
  operation: Pick<Operation<Deps, S>, 'report' | 'kinds'>,
  deps: Deps,
  subject: S,
  request: Pick<FastifyRequest, 'headers' | 'url' | 'server'> & Pick<RouteRequest, 'actor' | 'query'>,
  reply: { headers(values: Readonly<Record<string, string>>): unknown },
  records: RecordFilters | undefined,
): Promise<unknown> {
  const { report, kinds } = operation
  // The schema has just validated it.
  const query = request.query as Query
  const input: MetricInput<S> = {
    ...(await reportOf(deps, kinds, subject, query, records)),
    size: query.size ?? report.rows?.preset ?? 0,
    decoupled: query.decoupled ?? false,
    searchAfter: query.search_after,
    url: request.server.apiBase + request.url,
    actor: request.actor,
    query,
  }
  const { csv } = report
  const wanted = csv && prefersCsv(request.headers.accept) ? csv : undefined
  const body = wanted ? csvText(wanted.header, await wanted.lines(deps, input)) : await report.json(deps, input)
  if (csv) reply.headers({ vary: 'accept', ...(wanted && { 'content-type': 'text/csv; charset=utf-8' }) })
  return body
}

/** What the query asks about the subject. */
async function reportOf<S extends Subject>(
  { clock }: { readonly clock: Clock },
  kinds: readonly VisitKind[],
  subject: S,
  { unit, units, unit_reference: unitReference, zone, ...query }: Query,
  records: RecordFilters = {},
): Promise<ReportInput<S>> {
  return {
    subject,
    window: parseWindow({ unit, units, unitReference, zone }, clock.now()),
    kinds: query.kind ? [query.kind] : kinds,
    traffic: query.traffic ?? 'human',
    measure: query.measure === 'visitors' ? 'visitors' : 'events',
    filters: await filtersOf(query, records),
  }
}
