/** Counts the requests of all APIs by route and status, with their duration. Read by `/metrics`. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Histogram } from '../../lib/histogram.js'

export interface RouteFigures {
  readonly method: string
  /** As declared, such as `/v4/groups/:group_guid`; `unknown` for paths without a route. */
  readonly route: string
  readonly statuses: Map<number, number>
  readonly histogram: Histogram
}

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
