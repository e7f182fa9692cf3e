/** Serves redirects and refuses everything else, while the rest of the service cannot run: in an outage, and during a move. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { ListenOptions } from 'node:net'
import type { Config } from '../config/config.js'
import type { JournalStatus } from '../core/clicks/journal.js'
import { answerOps, openRedirectsOnlyOps, opsServer } from '../edges/ops/ops.js'
import type { RedirectsOnlyState } from '../edges/ops/redirects-only.js'
import type { RedirectHandler } from '../edges/redirect/handler.js'
import { type Closable, Closing } from '../lib/closing.js'
import { version } from '../lib/version.js'
import { givenSocket } from './given-socket.js'
import { keepAliveTimeoutOf } from './keep-alive.js'

export interface RedirectsOnly {
  readonly redirects: RedirectHandler
  readonly journal: { status(): JournalStatus }
  /** Why everything else is refused, for people. */
  readonly description: string
  /** Seconds. */
  readonly retryAfter: number
  /** For operators. */
  state(): RedirectsOnlyState
}

export async function serveRedirectsOnly(
  config: Pick<Config, 'host' | 'port' | 'opsHost' | 'opsPort' | 'opsToken' | 'trustProxy'>,
  { redirects, journal, description, retryAfter, state }: RedirectsOnly,
): Promise<Closable> {
  const { host, port, opsHost, opsPort } = config
  const ops = openRedirectsOnlyOps({ config, redirects, journal, state, version: version() })
  const refusal = { message: 'TEMPORARILY_UNAVAILABLE', resource: 'shortlinks', description }
  const access = { isLocalTrusted: opsPort === undefined }
  const server = createServer({ keepAliveTimeout: keepAliveTimeoutOf(config) }, (request, response) => {
    if (answerOps(ops, request, response, access) || redirects.http(request, response)) return
    refuse(response, refusal, retryAfter)
  })
  const closing = new Closing()
  try {
    if (opsPort !== undefined) closing.add(await listening(opsServer(ops), { host: opsHost, port: opsPort }))
    closing.add(await listening(server, { host, port, fd: givenSocket() }))
    return closing
  } catch (error) {
    await closing.close()
    throw error
  }
}

async function listening(
  server: Server,
  { fd, ...at }: ListenOptions & { fd?: number | undefined },
): Promise<Closable> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(fd === undefined ? at : { fd }, resolve)
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

function refuse(response: ServerResponse, refusal: object, retryAfter: number): void {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'retry-after': String(retryAfter),
  }
  response.writeHead(503, headers).end(JSON.stringify(refusal))
}
