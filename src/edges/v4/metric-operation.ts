/** What all metric operations share: query parameters, JSON and CSV. Does not know what an operation counts. */
import type { FastifySchema } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import type { EngagementKind } from '../../core/clicks/click.js'
import type { DimensionFilter, Name } from '../../core/clicks/metrics-query.js'
import { parseFilter, type WrittenFilter } from '../../core/metrics/filters.js'
import type { ReportDeps } from '../../core/metrics/report.js'
import type { ReportDescription } from '../../core/metrics/report-features.js'
import type { ReportInput, Subject } from '../../core/metrics/report-subject.js'
import type { Clock } from '../../core/values/time.js'
import { parseWindow, units } from '../../core/values/window.js'
import { type CsvCell, csvText } from '../../lib/csv.js'
import { prefersCsv } from '../http/media-types.js'
import { filterBounds, timestampBounds, unitsBounds, zoneBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'

export interface Operation<Deps extends ReportDeps = ReportDeps, S extends Subject = Subject> {
  /** Relative to the path of the link, custom link or group. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly kinds: readonly EngagementKind[]
  readonly report: MetricReport<Deps, S>
}

/** How a metric is computed and formatted. */
export interface MetricReport<Deps extends ReportDeps = ReportDeps, S extends Subject = Subject> {
  readonly type: ReportDescription['type']
  readonly schema: TSchema
  readonly description: string
  /** Maximum and default number of rows; undefined for reports without ranked rows. */
  readonly rows?: { readonly max: number; readonly preset: number }
  /** Parameters that only this report has. */
  readonly query?: Readonly<Record<string, TSchema>>
  readonly json: (deps: Deps, input: MetricInput<S>) => Promise<unknown>
  readonly csv?: Csv<Deps, S>
}

interface Csv<Deps extends ReportDeps, S extends Subject = Subject> {
  /** As documented, including the separator, which the rows use too. */
  readonly header: string
  readonly lines: (deps: Deps, input: MetricInput<S>) => Promise<readonly (readonly CsvCell[])[]>
}

export interface MetricInput<S extends Subject = Subject> extends ReportInput<S> {
  readonly size: number
  /** Top scans only. */
  readonly decoupled: boolean
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
  unit_reference: Type.Optional(
    Type.String({
      ...timestampBounds,
      description:
        'A time in the last unit of the window, `YYYY-MM-DDThh:mm:ss±hhmm`; now by default. Units are whole: the rest ' +
        'of that unit, after this time, is counted too. Days, weeks and months begin at midnight of its ' +
        'offset, weeks on Monday.',
    }),
  ),
}

const windowQuery = {
  ...unitsQuery,
  // These three are additions to the public API.
  zone: Type.Optional(
    Type.String({
      ...zoneBounds,
      description:
        'Time zone such as `Europe/Berlin` in which units begin, with daylight saving time; overrides the offset of `unit_reference`',
    }),
  ),
  traffic: Type.Optional(
    Type.Enum(['human', 'bots', 'all'], {
      type: 'string',
      default: 'human',
      description: 'Which traffic to count. `bots`: only crawlers, link previews, prefetches and HEAD requests',
    }),
  ),
  measure: Type.Optional(
    Type.Enum(['clicks', 'visitors'], {
      type: 'string',
      default: 'clicks',
      description: '`visitors`: count each visitor once per day and row',
    }),
  ),
}

const WindowQuery = Type.Object(windowQuery)

/** Filters by their parameter. Also an addition to the public API. */
const filters = {
  country: 'country',
  region: 'region',
  city: 'city',
  referrer: 'referrerName',
  referring_domain: 'referrerDomain',
  referring_network: 'referrerNetwork',
  device: 'device',
  os: 'os',
  browser: 'browser',
  destination: 'destination',
} as const satisfies Readonly<Record<string, Name>>

const filterNames = Object.keys(filters) as readonly (keyof typeof filters)[]

export function filterParameter(example: string) {
  const description = `Only clicks that match, such as \`is:${example}\` or \`is_not:${example}\`; several values are separated by commas`
  return Type.Optional(Type.String({ ...filterBounds, description }))
}

const filterQuery = {
  country: filterParameter('DE,FR'),
  region: filterParameter('Bavaria'),
  city: filterParameter('Berlin'),
  referrer: filterParameter('Instagram,direct'),
  referring_domain: filterParameter('l.instagram.com'),
  referring_network: filterParameter('instagram'),
  device: filterParameter('Mobile,Tablet'),
  os: filterParameter('iOS'),
  browser: filterParameter('Firefox'),
  destination: filterParameter('https://example.com/page'),
} satisfies Readonly<Record<keyof typeof filters, TSchema>>

function querystring({ rows, query }: Pick<MetricReport, 'rows' | 'query'>, of: ReportDescription['of']): TSchema {
  const link = of === 'group' ? { link: filterParameter('sho.rt/3xYz12A') } : {}
  const every = { ...windowQuery, ...filterQuery, ...link }
  if (!rows) return Type.Object({ ...every, ...query })
  const { max: maximum, preset } = rows
  const size = Type.Integer({ minimum: 1, maximum, default: preset, description: 'Maximum number of rows' })
  return Type.Object({ ...every, size: Type.Optional(size), ...query })
}

interface Query
  extends Static<typeof WindowQuery>,
    Partial<Readonly<Record<keyof typeof filters | RecordName, string>>> {
  readonly size?: number
  readonly decoupled?: boolean
}

/** The part of an operation that its schema needs. */
type Described = Pick<Operation, 'operationId' | 'summary'> & {
  readonly report: Pick<MetricReport, 'type' | 'schema' | 'description' | 'rows' | 'query'> & {
    readonly csv?: { readonly header: string }
  }
}

export function schemaOf(
  operation: Described,
  of: ReportDescription['of'],
  ...statuses: readonly (400 | 403 | 404 | 410)[]
): FastifySchema {
  const { operationId, summary, report } = operation
  const { schema, description, csv } = report
  const content = {
    'application/json': { schema },
    ...(csv && { 'text/csv': { schema: Type.String({ description: `Columns: ${csv.header}` }) } }),
  }
  return {
    operationId,
    tags: ['Metrics'],
    summary,
    description: csv ? `${description} \`Accept: text/csv\` returns CSV.` : description,
    querystring: querystring(report, of),
    response: {
      200: { description: 'The metric values', content },
      // Filters may need a feature of the plan, even where the report needs none.
      ...refusals(...statuses, 402),
    },
  }
}

/** Filters that the records resolve, by their parameter: which addresses they mean for the subject. */
export type RecordFilters = Readonly<Partial<Record<RecordName, (filter: WrittenFilter) => Promise<DimensionFilter>>>>
type RecordName = (typeof recordNames)[number]
const recordNames = ['link', 'channel'] as const

async function filtersOf(query: Query, records: RecordFilters): Promise<readonly DimensionFilter[]> {
  const found = filterNames.flatMap((name) => {
    const text = query[name]
    return text === undefined ? [] : [{ by: filters[name], ...parseFilter(name, text) }]
  })
  const resolved = recordNames.flatMap((name) => {
    const [text, resolve] = [query[name], records[name]]
    return text === undefined || !resolve ? [] : [resolve(parseFilter(name, text))]
  })
  return [...found, ...(await Promise.all(resolved))]
}

/** The route's access check has loaded the subject; this parses the query and runs the report. */
export async function runMetric<Deps extends ReportDeps & { readonly clock: Clock }, S extends Subject>(
  operation: Pick<Operation<Deps, S>, 'report' | 'kinds'>,
  deps: Deps,
  subject: S,
  request: { readonly query: unknown; readonly headers: { readonly accept?: string | undefined } },
  reply: { headers(values: Readonly<Record<string, string>>): unknown },
  records: RecordFilters = {},
): Promise<unknown> {
  const { report, kinds } = operation
  // The schema has just validated it.
  const { unit, units, unit_reference: unitReference, zone, ...query } = request.query as Query
  const input: MetricInput<S> = {
    subject,
    window: parseWindow({ unit, units, unitReference, zone }, deps.clock.now()),
    kinds,
    traffic: query.traffic ?? 'human',
    measure: query.measure === 'visitors' ? 'visitors' : 'events',
    size: query.size ?? report.rows?.preset ?? 0,
    decoupled: query.decoupled ?? false,
    filters: await filtersOf(query, records),
  }
  const { csv } = report
  const wanted = csv && prefersCsv(request.headers.accept) ? csv : undefined
  const body = wanted ? csvText(wanted.header, await wanted.lines(deps, input)) : await report.json(deps, input)
  if (csv) reply.headers({ vary: 'accept', ...(wanted && { 'content-type': 'text/csv; charset=utf-8' }) })
  return body
}
