/**
 * Traces of API requests for an OpenTelemetry collector, by the official packages. They are 27 MB and few need them, so the
 * operator installs them. Loaded with require, which also looks into NODE_PATH.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createRequire } from 'node:module'
import type { Closable } from '../../lib/closing.js'
import { OperatorError } from '../../lib/operator-error.js'
import { within } from '../../lib/within.js'

export interface Traces extends Closable {
  /** Runs the rest of the request in its trace. */
  begin(request: TracedRequest, next: () => void): void
  /** Ends the span of a request that began. */
  end(request: object, answer: { readonly route: string | undefined; readonly status: number }): void
  /** Adds a query that just ended to the trace of the running request, if there is one. */
  query(store: string, milliseconds: number): void
}

export interface TracedRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, unknown>>
}

/** Milliseconds to send the last spans when the service closes. */
const flushTimeout = 3000

export function otlpTraces(url: string, version: string): Traces {
  const { api, sdk, resources, exporter, core } = load()
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({
      'service.name': process.env.OTEL_SERVICE_NAME ?? 'shortlink',
      'service.version': version,
    }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({ exporter: new exporter.OTLPTraceExporter({ url: endpointOf(url) }) }),
    ],
  })
  const tracer = provider.getTracer('shortlink', version)
  const propagator = new core.W3CTraceContextPropagator()
  const running = new AsyncLocalStorage<Span>()
  const spans = new WeakMap<object, Span>()
  const { SpanKind, SpanStatusCode, ROOT_CONTEXT, defaultTextMapGetter, trace } = api

  return {
    begin(request, next) {
      const parent = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter)
      const [path] = request.url.split('?')
      const attributes = { 'http.request.method': request.method, 'url.path': path }
      const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER, attributes }, parent)
      spans.set(request, span)
      running.run(span, next)
    },
    end(request, { route, status }) {
      const span = spans.get(request)
      if (!span) return
      span.setAttribute('http.response.status_code', status)
      if (route !== undefined) {
        span.setAttribute('http.route', route)
        span.updateName(`${(request as TracedRequest).method} ${route}`)
      }
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
    query(store, milliseconds) {
      const span = running.getStore()
      if (!span) return
      const startTime = Date.now() - milliseconds
      tracer.startSpan(`query ${store}`, { kind: SpanKind.CLIENT, startTime }, trace.setSpan(ROOT_CONTEXT, span)).end()
    },
    // A collector that is away must not delay the end.
    close: () => within(flushTimeout, provider.shutdown(), 'The collector').catch(() => {}),
  }
}

/** A collector's address without a path gets the path of the protocol. */
function endpointOf(url: string): string {
  const { pathname } = new URL(url)
  return pathname === '/' ? new URL('/v1/traces', url).href : url
}

const packages = {
  api: '@opentelemetry/api',
  core: '@opentelemetry/core',
  resources: '@opentelemetry/resources',
  sdk: '@opentelemetry/sdk-trace',
  exporter: '@opentelemetry/exporter-trace-otlp-http',
}

/** The versions of test/otlp, which run on Node 20. */
const install =
  'npm install @opentelemetry/api@1.9.1 @opentelemetry/core@2.12.1 @opentelemetry/resources@2.12.1 @opentelemetry/sdk-trace@2.12.1 @opentelemetry/exporter-trace-otlp-http@0.223.1'

function load(): Packages {
  const require = createRequire(import.meta.url)
  try {
    return Object.fromEntries(Object.entries(packages).map(([name, file]) => [name, require(file)])) as never
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error)
    throw new OperatorError(
      `otlpUrl needs the packages of OpenTelemetry (${reason}). Install them beside shortlink: ${install}`,
    )
  }
}

// What is used of the packages, which are not installed where this is compiled.

interface Span {
  setAttribute(name: string, value: string | number): unknown
  setStatus(status: { readonly code: number }): unknown
  updateName(name: string): unknown
  end(): void
}

type Context = { readonly context: unique symbol }

interface Packages {
  readonly api: {
    readonly ROOT_CONTEXT: Context
    readonly defaultTextMapGetter: object
    readonly SpanKind: { readonly SERVER: number; readonly CLIENT: number }
    readonly SpanStatusCode: { readonly ERROR: number }
    readonly trace: { setSpan(context: Context, span: Span): Context }
  }
  readonly core: { readonly W3CTraceContextPropagator: new () => Propagator }
  readonly resources: { resourceFromAttributes(attributes: Readonly<Record<string, string>>): object }
  readonly sdk: {
    readonly TracerProvider: new (options: {
      readonly resource: object
      readonly spanProcessors: readonly object[]
    }) => Provider
    readonly BatchSpanProcessor: new (options: { readonly exporter: object }) => object
  }
  readonly exporter: { readonly OTLPTraceExporter: new (options: { readonly url: string }) => object }
}

interface Propagator {
  extract(context: Context, carrier: unknown, getter: object): Context
}

interface Provider {
  getTracer(name: string, version: string): Tracer
  shutdown(): Promise<void>
}

interface Tracer {
  startSpan(
    name: string,
    options: {
      readonly kind: number
      readonly startTime?: number
      readonly attributes?: Readonly<Record<string, string | undefined>>
    },
    parent: Context,
  ): Span
}
