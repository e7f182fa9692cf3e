/**
 * The metric operations of short links: one table, one loop. A row says where an operation lives, what it answers and
 * how that reads as CSV; what is common to all of them is written once, below.
 */
import { type Static, type TSchema, Type } from 'typebox'
import type { Clock } from '../../core/clock.js'
import type { LinkStore } from '../../core/links/link-store.js'
import { readLink } from '../../core/links/read.js'
import { clickSeries, clickSummary, type ReportParts, type Subject } from '../../core/metrics/report.js'
import { parseWindow, units, type Window } from '../../core/metrics/window.js'
import { csvText, prefersCsv } from '../http/csv.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { timestamp } from './present.js'
import { refusals } from './schemas/error.js'
import { LinkPath } from './schemas/link-path.js'

export interface MetricRouteParts extends ReportParts {
  readonly links: LinkStore
  readonly clock: Clock
}

const windowFields = {
  unit: Type.String({ description: 'As asked' }),
  units: Type.Integer({ description: 'As asked; -1 means all' }),
  unit_reference: Type.String({ description: 'The most recent moment of the window, in UTC' }),
}

const WindowQuery = Type.Object({
  unit: Type.Optional(Type.Enum([...units], { type: 'string', default: 'day' })),
  units: Type.Optional(Type.Integer({ default: -1, description: 'How many units, 1 to 50,000; -1 for all' })),
  unit_reference: Type.Optional(
    Type.String({
      description:
        'The most recent moment of the window, `YYYY-MM-DDThh:mm:ss±hhmm`; now by default. ' +
        'Days, weeks and months begin at midnight of its offset, weeks on Monday.',
    }),
  ),
})

const linkMetrics: readonly MetricRoute[] = [
  metric({
    path: 'clicks',
    operationId: 'getClicks',
    summary: 'Clicks over time',
    description: 'One entry per unit, newest first, with zeroes. `Accept: text/csv` answers CSV.',
    answer: Type.Object({
      link_clicks: Type.Array(
        Type.Object({ date: Type.String({ description: 'Start of the unit, in UTC' }), clicks: Type.Integer() }),
      ),
      ...windowFields,
    }),
    async report(parts, subject, window) {
      const buckets = await clickSeries(parts, subject, window)
      return {
        link_clicks: buckets.map(({ start, count }) => ({ date: timestamp(start), clicks: count })),
        ...echo(window),
      }
    },
    csv: {
      header: 'Date, Clicks',
      rows: ({ link_clicks }) => link_clicks.map(({ date, clicks }) => [date, clicks]),
    },
  }),
  metric({
    path: 'clicks/summary',
    operationId: 'getClicksSummary',
    summary: 'Sum of clicks',
    description: 'All clicks of the window in one number.',
    answer: Type.Object({ total_clicks: Type.Integer(), ...windowFields }),
    async report(parts, subject, window) {
      return { total_clicks: await clickSummary(parts, subject, window), ...echo(window) }
    },
  }),
]

export function metricRoutes(http: TypedFastify, parts: MetricRouteParts): void {
  for (const route of linkMetrics) route(http, parts)
}

interface Metric<Answer extends TSchema> {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly answer: Answer
  report(parts: ReportParts, subject: Subject, window: Window): Promise<Static<Answer>>
  readonly csv?: {
    readonly header: string
    rows(answer: Static<Answer>): readonly (readonly (string | number)[])[]
  }
}

type MetricRoute = (http: TypedFastify, parts: MetricRouteParts) => void

/** Who may see the figures is who may read the link; the figures are those of the address in the path (gaps 2.4). */
function metric<Answer extends TSchema>(row: Metric<Answer>): MetricRoute {
  const { path, operationId, summary, description, answer, report, csv } = row
  const content = {
    'application/json': { schema: answer },
    ...(csv && { 'text/csv': { schema: Type.String({ description: `Columns: ${csv.header}` }) } }),
  }
  const response = { 200: { description: summary, content }, ...refusals(400, 403, 404, 410) }
  const schema = {
    operationId,
    tags: ['Metrics'],
    summary,
    description,
    params: LinkPath,
    querystring: WindowQuery,
    response,
  }
  return (http, parts) => {
    http.get(`/v4/shortlinks/:domain/:hash/${path}`, { schema }, async (request, reply) => {
      const { domain, hash } = request.params
      const { link, address } = await readLink(parts, request.actor, domain, hash)
      const { unit, units, unit_reference } = request.query
      const window = parseWindow({ unit, units, unitReference: unit_reference }, parts.clock.now())
      const figures = await report(parts, { address, createdAt: link.createdAt }, window)
      if (!csv) return reply.send(figures)
      reply.header('vary', 'accept')
      if (!prefersCsv(request.headers.accept)) return reply.send(figures)
      return reply.type('text/csv; charset=utf-8').send(csvText(csv.header, csv.rows(figures)))
    })
  }
}

function echo(window: Window) {
  return { unit: window.unit, units: window.units, unit_reference: timestamp(window.reference) }
}
