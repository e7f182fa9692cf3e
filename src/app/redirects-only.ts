/** Serves redirects and refuses everything else, while the rest of the service cannot run: in an outage, and during a move. */
import { createServer, type ServerResponse } from 'node:http'
import type { Config } from '../config/config.js'
import type { RedirectHandler } from '../edges/redirect/handler.js'
import type { Closable } from '../lib/closing.js'

export interface RefusedRequests {
  /** Why, for people. */
  readonly description: string
  /** Seconds. */
  readonly retryAfter: number
}

export async function serveRedirectsOnly(
  { host, port }: Pick<Config, 'host' | 'port'>,
  redirects: RedirectHandler,
  { description, retryAfter }: RefusedRequests,
): Promise<Closable> {
  const refusal = { message: 'TEMPORARILY_UNAVAILABLE', resource: 'shortlinks', description }
  const server = createServer((request, response) => {
    if (request.url === '/healthz') return answer(response, 200, { status: 'ok' })
    if (request.url === '/readyz') return answer(response, 200, { status: 'degraded' })
    if (redirects.http(request, response)) return
    answer(response, 503, refusal, { 'retry-after': String(retryAfter) })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, resolve)
  })
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
        setTimeout(() => server.closeAllConnections(), closeTimeout).unref()
      }),
  }
}

const closeTimeout = 1000

function answer(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  const usual = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  response.writeHead(status, { ...usual, ...headers }).end(JSON.stringify(body))
}
