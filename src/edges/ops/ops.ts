/**
 * Endpoints for operators and monitoring: liveness, readiness, pipeline lag and Prometheus metrics, on the port of the
 * service or on one of their own. Reads counters of other areas; keeps none on the redirect path.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { atMostEvery } from '../../lib/at-most-every.js'
import { mayReadDetails, type OpsAccess } from './access.js'
import { valuesText } from './histogram-text.js'
import type { Probes } from './probes.js'
import { type FigureDeps, type Figures, prometheus } from './prometheus.js'
import { type Readiness, type ReadinessDeps, readinessOf } from './readiness.js'
import { type RedirectsOnlyDeps, redirectsOnlyFigures, redirectsOnlyReadiness } from './redirects-only.js'

export interface OpsDeps extends ReadinessDeps, FigureDeps {
  readonly config: ReadinessDeps['config'] & OpsConfig
  readonly journal: FigureDeps['journal']
  readonly platformLimits: FigureDeps['platformLimits']
  readonly pipeline: FigureDeps['pipeline']
  readonly probes: Pick<Probes, 'arrived'>
}

export interface OpsConfig {
  readonly opsToken: string | undefined
  readonly opsPort: number | undefined
}

/** Answers the paths for operators; undefined for every other path. */
export interface Ops {
  answer(
    path: string,
    request: IncomingMessage,
    access: Pick<OpsAccess, 'isLocalTrusted'>,
  ): Promise<OpsAnswer> | undefined
  close(): void
}

interface OpsAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

export function openOps(deps: OpsDeps): Ops {
  return answering({
    version: deps.version,
    opsToken: deps.config.opsToken,
    figures: prometheus(deps),
    readiness: () => readinessOf(deps),
    arrived: (request) => deps.probes.arrived(request),
  })
}

/** While redirects are all that is served. */
export function openRedirectsOnlyOps(deps: RedirectsOnlyDeps & { readonly config: OpsConfig }): Ops {
  return answering({
    version: deps.version,
    opsToken: deps.config.opsToken,
    figures: redirectsOnlyFigures(deps),
    readiness: async () => redirectsOnlyReadiness(deps),
  })
}

interface Sources {
  readonly version: string
  readonly opsToken: string | undefined
  readonly figures: Figures
  readiness(): Promise<Readiness>
  arrived?(request: IncomingMessage): void
}

function answering({ version, opsToken, figures, readiness, arrived }: Sources): Ops {
  // Rendering takes about a millisecond and asks other threads: many requests must not cost more than one scrape.
  const rendered = atMostEvery(1000, async () => (await figures.read()) + troublesText(await readiness()))
  // The public may get a result up to a second old; operators get a current one.
  const sharedReadiness = atMostEvery(1000, readiness)

  const answers: Readonly<Record<string, (isOperator: boolean, request: IncomingMessage) => Promise<OpsAnswer>>> = {
    '/healthz': async (_, request) => {
      arrived?.(request)
      return json(200, { status: 'ok', version })
    },
    '/readyz': async (isOperator) => {
      const found = await (isOperator ? readiness() : sharedReadiness())
      const { status } = found
      return json(status === 'unavailable' ? 503 : 200, isOperator ? found : { status })
    },
    '/metrics': async (isOperator) =>
      isOperator
        ? { status: 200, type: figures.contentType, body: await rendered() }
        : { status: 403, type: 'text/plain; charset=utf-8', body: forOperators },
  }

  return {
    answer: (path, request, access) => answers[path]?.(mayReadDetails(request, { ...access, opsToken }), request),
    close: figures.close,
  }
}

/** What `/readyz` says in words, for alerts. The area is what a trouble begins with. */
function troublesText({ troubles }: Readiness): string {
  const counts = new Map<string, number>()
  for (const trouble of troubles) {
    const [area = ''] = trouble.split(':')
    counts.set(area, (counts.get(area) ?? 0) + 1)
  }
  const series = [...counts].map(([area, value]) => ({ labels: { area }, value }))
  return valuesText('gauge', 'shortlink_troubles', 'Troubles of /readyz by area; none while it is ready', series)
}

const forOperators =
  'Only for direct requests from this machine (no proxy), on opsPort if it is set, or with the token in opsToken (docs/operating.md#monitoring).\n'

function json(status: number, body: object): OpsAnswer {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(body) }
}

/** On the port of the service. With a port of their own, details need the token here: a proxy usually forwards to this one. */
export function opsRoutes(
  http: FastifyInstance,
  ops: Ops,
  { opsPort }: { readonly opsPort: number | undefined },
): void {
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    http.get(path, { schema: { hide: true } }, async (request, reply) => {
      const answer = await ops.answer(path, request.raw, { isLocalTrusted: opsPort === undefined })
      if (answer) return reply.code(answer.status).type(answer.type).send(answer.body)
    })
  }
}

/** The server of `opsPort`: nothing but the paths for operators. */
export function opsServer(ops: Ops): Server {
  return createServer((request, response) => {
    if (!answerOps(ops, request, response, { isLocalTrusted: true })) send(response, unknownPath)
  })
}

/** False for every other path. */
export function answerOps(
  ops: Ops,
  request: IncomingMessage,
  response: ServerResponse,
  access: Pick<OpsAccess, 'isLocalTrusted'>,
): boolean {
  const [path = ''] = (request.url ?? '').split('?')
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const answering = isRead ? ops.answer(path, request, access) : undefined
  void answering?.catch(() => failed).then((answer) => send(response, answer))
  return answering !== undefined
}

const unknownPath = { status: 404, type: 'text/plain; charset=utf-8', body: '404 page not found\n' }
const failed = { status: 500, type: 'text/plain; charset=utf-8', body: 'Internal error\n' }

function send(response: ServerResponse, { status, type, body }: OpsAnswer): void {
  const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body), 'cache-control': 'no-store' }
  response.writeHead(status, headers).end(body)
}
