/**
 * What all metric operations have in common: their arguments, JSON or CSV.
 * It does not know what any of them counts.
 */
import type { FastifySchema } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import type { EngagementKind } from '../../core/clicks/click.js'
import type { ReportDeps } from '../../core/metrics/report.js'
import { featuresFor, type ReportDescription } from '../../core/metrics/report-features.js'
import type { ReportInput, Subject } from '../../core/metrics/report-subject.js'
import type { Clock } from '../../core/values/time.js'
import { parseWindow, units } from '../../core/values/window.js'
import { type CsvCell, csvText } from '../../lib/csv.js'
import { prefersCsv } from '../http/csv.js'
import { timestampBounds, unitsBounds, zoneBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'

/** One row of a table of operations. */
export interface Operation<Deps extends ReportDeps = ReportDeps, S extends Subject = Subject> {
  /** Below the path of the link, custom link or group. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly kinds: readonly EngagementKind[]
  readonly answer: Answer<Deps, S>
}

/** What an operation answers. */
export interface Answer<Deps extends ReportDeps = ReportDeps, S extends Subject = Subject> {
  readonly type: ReportDescription['type']
  readonly schema: TSchema
  readonly description: string
  /** How many rows may be asked for, and how many are given otherwise; undefined for what has no ranked rows. */
  readonly rows?: { readonly most: number; readonly preset: number }
  /** Arguments that only this one takes. */
  readonly query?: { readonly decoupled: TSchema }
  readonly json: (deps: Deps, asked: MetricInput<S>) => Promise<unknown>
  readonly csv?: Csv<Deps, S>
}

interface Csv<Deps extends ReportDeps, S extends Subject = Subject> {
  /** As documented, separators included: rows are separated alike. */
  readonly header: string
  readonly lines: (deps: Deps, asked: MetricInput<S>) => Promise<readonly (readonly CsvCell[])[]>
}

export interface MetricInput<S extends Subject = Subject> extends ReportInput<S> {
  readonly size: number
  /** Of the top scans only. */
  readonly decoupled: boolean
}

/** Of every operation that has a window. */
export const unitsQuery = {
  unit: Type.Optional(Type.Enum([...units], { type: 'string', default: 'day' })),
  units: Type.Optional(
    Type.Integer({
      ...unitsBounds,
      default: -1,
      description: 'How many units, 1 to 50,000; -1 for all. A series of more than 50,000 is answered 400.',
    }),
  ),
  unit_reference: Type.Optional(
    Type.String({
      ...timestampBounds,
      description:
        'A moment in the last unit of the window, `YYYY-MM-DDThh:mm:ss±hhmm`; now by default. Units are whole: what ' +
        'happened after this moment in the same unit is counted too. Days, weeks and months begin at midnight of its ' +
        'offset, weeks on Monday.',
    }),
  ),
}

const windowQuery = {
  ...unitsQuery,
  // Our choice, these three: the public service has no such parameters.
  zone: Type.Optional(
    Type.String({
      ...zoneBounds,
      description: 'A time zone such as `Europe/Berlin`, in which units begin instead; follows its seasons',
    }),
  ),
  traffic: Type.Optional(
    Type.Enum(['human', 'bots', 'all'], {
      type: 'string',
      default: 'human',
      description: 'Who is counted. `bots`: robots, link previews, prefetches and HEAD requests alone',
    }),
  ),
  measure: Type.Optional(
    Type.Enum(['clicks', 'visitors'], {
      type: 'string',
      default: 'clicks',
      description: '`visitors`: each visitor once a day and row, however often they came',
    }),
  ),
}

const WindowQuery = Type.Object(windowQuery)

function querystring({ rows, query }: Pick<Answer, 'rows' | 'query'>): TSchema {
  if (!rows) return WindowQuery
  const { most: maximum, preset } = rows
  const size = Type.Integer({ minimum: 1, maximum, default: preset, description: 'At most so many rows' })
  return Type.Object({ ...windowQuery, size: Type.Optional(size), ...query })
}

interface Query extends Static<typeof WindowQuery> {
  readonly size?: number
  readonly decoupled?: boolean
}

/** An operation without what it does. */
type Described = Pick<Operation, 'operationId' | 'summary' | 'kinds'> & {
  readonly answer: Pick<Answer, 'type' | 'schema' | 'description' | 'rows' | 'query'> & {
    readonly csv?: { readonly header: string }
  }
}

export function schemaOf(
  operation: Described,
  of: ReportDescription['of'],
  ...statuses: readonly (400 | 403 | 404 | 410)[]
): FastifySchema {
  const { operationId, summary, kinds, answer } = operation
  // Any link may be asked for by the address of a custom short link.
  const mayNeedPlan = of === 'link' || featuresFor({ type: answer.type, of, kinds }).length > 0
  const { schema, description, csv } = answer
  const content = {
    'application/json': { schema },
    ...(csv && { 'text/csv': { schema: Type.String({ description: `Columns: ${csv.header}` }) } }),
  }
  return {
    operationId,
    tags: ['Metrics'],
    summary,
    description: csv ? `${description} \`Accept: text/csv\` answers CSV.` : description,
    querystring: querystring(answer),
    response: {
      200: { description: summary, content },
      ...refusals(...statuses, ...(mayNeedPlan ? ([402] as const) : [])),
    },
  }
}

/** The subject was found by the access of the route; here its arguments become a question to core. */
export async function answerMetric<Deps extends ReportDeps & { readonly clock: Clock }, S extends Subject>(
  operation: Operation<Deps, S>,
  deps: Deps,
  subject: S,
  request: { readonly query: unknown; readonly headers: { readonly accept?: string | undefined } },
  reply: { headers(values: Readonly<Record<string, string>>): unknown },
): Promise<unknown> {
  const { answer, kinds } = operation
  // The schema has just checked it.
  const { unit, units, unit_reference: unitReference, zone, ...query } = request.query as Query
  const asked: MetricInput<S> = {
    subject,
    window: parseWindow({ unit, units, unitReference, zone }, deps.clock.now()),
    kinds,
    traffic: query.traffic ?? 'human',
    measure: query.measure === 'visitors' ? 'visitors' : 'events',
    size: query.size ?? answer.rows?.preset ?? 0,
    decoupled: query.decoupled ?? false,
  }
  const { csv } = answer
  const wanted = csv && prefersCsv(request.headers.accept) ? csv : undefined
  const body = wanted ? csvText(wanted.header, await wanted.lines(deps, asked)) : await answer.json(deps, asked)
  if (csv) reply.headers({ vary: 'accept', ...(wanted && { 'content-type': 'text/csv; charset=utf-8' }) })
  return body
}
