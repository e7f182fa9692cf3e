/** What `/metrics` says about durations: those of requests by route and status, and histograms for others that measure. */
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Counts durations in buckets, for percentiles over many processes. Cheap enough for every request. */
export class Histogram {
  /** In seconds; one more bucket counts what is longer. */
  static readonly bounds: readonly number[] = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]
  readonly counts: number[] = Array(Histogram.bounds.length + 1).fill(0)
  #sum = 0

  get sum(): number {
    return this.#sum
  }

  /** Takes milliseconds, as `performance.now()` has them. */
  observe(milliseconds: number): void {
    const seconds = milliseconds / 1000
    const { bounds } = Histogram
    let bucket = 0
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket++
    this.counts[bucket] = (this.counts[bucket] as number) + 1
    this.#sum += seconds
  }

  /** Adds what another one has counted. */
  add({ counts, sum }: Pick<Histogram, 'counts' | 'sum'>): void {
    for (const [bucket, count] of counts.entries()) this.counts[bucket] = (this.counts[bucket] ?? 0) + count
    this.#sum += sum
  }
}

export interface RouteFigures {
  readonly method: string
  /** As declared, such as `/v4/groups/:group_guid`; `unknown` for paths without a route. */
  readonly route: string
  readonly statuses: Map<number, number>
  readonly histogram: Histogram
}

/** Counts the requests of all APIs. */
export class RequestFigures {
  readonly #routes = new Map<string, Map<string, RouteFigures>>()

  readonly answered = (request: FastifyRequest, reply: FastifyReply): void => {
    const { statuses, histogram } = this.#of(request.method, request.routeOptions.url ?? 'unknown')
    statuses.set(reply.statusCode, (statuses.get(reply.statusCode) ?? 0) + 1)
    histogram.observe(reply.elapsedTime)
  }

  get all(): readonly RouteFigures[] {
    return [...this.#routes.values()].flatMap((methods) => [...methods.values()])
  }

  #of(method: string, route: string): RouteFigures {
    const known = this.#routes.get(route)?.get(method)
    if (known) return known
    const figures = { method, route, statuses: new Map(), histogram: new Histogram() }
    const methods = this.#routes.get(route) ?? new Map()
    this.#routes.set(route, methods.set(method, figures))
    return figures
  }
}
