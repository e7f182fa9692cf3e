/**
 * Mounts the edges on one port: first the fast path of redirects, then the other redirects, then public pictures of QR
 * codes, then Fastify for everything else. Used by `commands/serve.ts` and, unchanged, by the tests.
 */
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import type { App } from './app.js'
import { dashboardRoutes } from './edges/dashboard/routes.js'
import { requestListener } from './edges/http/raw-requests.js'
import { createHttp } from './edges/http/server.js'
import { oauthRoutes } from './edges/oauth/routes.js'
import { opsRoutes } from './edges/ops/ops.js'
import { answerForeignHost } from './edges/pages/foreign-host.js'
import { pageRoutes } from './edges/pages/routes.js'
import { FastPath } from './edges/redirect/fast-path.js'
import { redirectHandler } from './edges/redirect/handler.js'
import { nsqdAuthRoutes } from './edges/stream/nsqd-auth.js'
import { tlsRoutes } from './edges/tls/ask.js'
import { v3Routes } from './edges/v3/routes.js'
import { resourceOf } from './edges/v4/errors.js'
import { publicImages } from './edges/v4/qr-public-images.js'
import { v4Routes } from './edges/v4/routes.js'
import type { Closable } from './lib/closing.js'
import { OperatorError } from './lib/operator-error.js'

export interface Service extends Closable {
  readonly port: number
}

export interface ServiceOptions {
  /** Milliseconds that running requests may take when the service closes. */
  readonly closeTimeout?: number
}

/** How often node checks for slow, incomplete requests; its default is 30 seconds. */
const connectionsCheckingInterval = 5000

// Long enough for any response, except to a client that reads or sends very slowly.
const closeTimeout = 10_000

export async function startService(app: App, given: ServiceOptions = {}): Promise<Service> {
  const redirects = redirectHandler(app)
  const fastPath = new FastPath(redirects)
  const images = publicImages(app)
  const serverFactory = (api: RequestListener) => {
    const server = createServer(
      { connectionsCheckingInterval },
      requestListener({ redirects: redirects.http, images, api }),
    )
    fastPath.attach(server)
    return server
  }
  const { corsOrigins: origins, linkWord: words, linkWordDefault } = app.config
  const cors = origins.length > 0 ? { origins, under: '/v4/' } : undefined
  const linkWords = words.length > 0 ? { words, isDefault: linkWordDefault === 'on' } : undefined
  const options = { serverFactory, resourceOf, cors, linkWords, answerUnknown: answerForeignHost(app) }
  const http = await createHttp(app, options, (routes) => {
    v4Routes(routes, app)
    v3Routes(routes, app)
    oauthRoutes(routes, app)
    pageRoutes(routes, app)
    dashboardRoutes(routes, {})
    tlsRoutes(routes, app)
    nsqdAuthRoutes(routes, app)
    opsRoutes(routes, { ...app, redirects })
  })
  const { host, port } = app.config
  try {
    await http.listen({ host, port })
  } catch (error) {
    throw cannotListen(error as NodeJS.ErrnoException, host, port)
  }
  const bound = http.server.address() as AddressInfo
  const close = () => {
    fastPath.close()
    // A live stream has no end of its own.
    app.live.close()
    // After close, node no longer times out incomplete requests: a single one would block the shutdown forever.
    const force = setTimeout(() => http.server.closeAllConnections(), given.closeTimeout ?? closeTimeout)
    return http.close().finally(() => clearTimeout(force))
  }
  return { port: bound.port, close }
}

/** Fails when the port cannot be used, before anything else is opened. */
export async function requirePort({ host, port }: { readonly host: string; readonly port: number }): Promise<void> {
  const probe = createTcpServer((socket) => socket.destroy())
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject)
      probe.listen({ host, port }, resolve)
    })
  } catch (error) {
    throw cannotListen(error as NodeJS.ErrnoException, host, port)
  }
  await new Promise((resolve) => probe.close(resolve))
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use by another program. Stop it, or choose another with --port.`,
    EACCES: `Port ${port} needs more privileges than this user has. Choose one above 1023 with --port.`,
    EADDRNOTAVAIL: `This machine has no IP address ${host}. Choose another with --host.`,
    ENOTFOUND: `Cannot resolve the host name ${host}. Choose another with --host.`,
  }
  const reason = `Cannot listen on ${host}, port ${port} (${error.message}). Choose others with --host and --port.`
  return new OperatorError(reasons[error.code ?? ''] ?? reason)
}
