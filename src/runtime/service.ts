/**
 * Mounts the edges on one port: first the fast path of redirects, then the other redirects, then public pictures of QR
 * codes, then Fastify for everything else. Used by `commands/serve.ts` and, unchanged, by the tests.
 */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config/config.js'
import { dashboardRoutes } from '../edges/dashboard/routes.js'
import { AccessLog, logRequest } from '../edges/http/access-log.js'
import { RequestFigures } from '../edges/http/figures.js'
import { requestListener } from '../edges/http/raw-requests.js'
import { createHttp, type OnAnswered } from '../edges/http/server.js'
import { oauthRoutes } from '../edges/oauth/routes.js'
import { openOps, opsRoutes, opsServer } from '../edges/ops/ops.js'
import { answerForeignHost } from '../edges/pages/foreign-host.js'
import { pageRoutes } from '../edges/pages/routes.js'
import { FastPath } from '../edges/redirect/fast-path.js'
import { redirectHandler } from '../edges/redirect/handler.js'
import { scimRoutes } from '../edges/scim/routes.js'
import { RenderedSitePages } from '../edges/site-pages/site-pages.js'
import { nsqdAuthRoutes } from '../edges/stream/nsqd-auth.js'
import { tlsRoutes } from '../edges/tls/ask.js'
import { v3Routes } from '../edges/v3/routes.js'
import { resourceOf } from '../edges/v4/errors.js'
import { publicImages } from '../edges/v4/qr-public-images.js'
import { v4Routes } from '../edges/v4/routes.js'
import type { Closable } from '../lib/closing.js'
import { OperatorError } from '../lib/operator-error.js'
import { version } from '../lib/version.js'
import type { TracedRequest } from '../storage/traces/otlp-traces.js'
import type { App } from './app.js'
import { givenSocket } from './given-socket.js'
import { keepAliveTimeoutOf } from './keep-alive.js'

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
/** With a given socket nobody must be turned away: a request that is on its way is answered. */
const graceWithSocket = 500
/** Of the URL and the headers. The longest filter of a report, percent-encoded, fits (docs/api/metrics.md#filters). */
const maxHeaderSize = 64 * 1024

export async function startService(app: App, given: ServiceOptions = {}): Promise<Service> {
  const accessLog = openAccessLog(app)
  const figures = new RequestFigures()
  const sitePages = new RenderedSitePages(app)
  const redirects = redirectHandler({ ...app, accessLog, sitePages })
  const fastPath = new FastPath(redirects)
  const images = publicImages(app)
  const keepAliveTimeout = keepAliveTimeoutOf(app.config)
  const serverFactory = (api: RequestListener) => {
    const server = createServer(
      { connectionsCheckingInterval, maxHeaderSize, keepAliveTimeout },
      requestListener({ redirects: redirects.http, images, api }),
    )
    fastPath.attach(server)
    return server
  }
  const { journals: journal, redirectProcesses } = app
  const allRedirects = redirectProcesses.figures(redirects)
  const ops = openOps({ ...app, journal, redirects: allRedirects, figures, version: version() })
  const { corsOrigins: origins, linkWord: words, linkWordDefault } = app.config
  const cors = origins.length > 0 ? { origins, under: '/v4/' } : undefined
  const linkWords = words.length > 0 ? { words, isDefault: linkWordDefault === 'on' } : undefined
  const { traces } = app
  const onAnswered: OnAnswered[] = [figures.answered]
  if (accessLog) onAnswered.push((request, reply) => logRequest(accessLog, request, reply, app.config))
  if (traces) {
    onAnswered.push(({ raw, routeOptions }, { statusCode: status }) =>
      traces.end(raw, { route: routeOptions.url, status }),
    )
  }
  const onAsked = traces && ((request: FastifyRequest, next: () => void) => traces.begin(asTraced(request), next))
  const options = {
    serverFactory,
    resourceOf,
    cors,
    linkWords,
    onAsked,
    onAnswered,
    answerUnknown: answerForeignHost(app),
  }
  const http = await createHttp(app, options, (routes) => {
    v4Routes(routes, { ...app, sitePages })
    v3Routes(routes, app)
    oauthRoutes(routes, app)
    scimRoutes(routes, app)
    pageRoutes(routes, app)
    dashboardRoutes(routes, {})
    tlsRoutes(routes, app)
    nsqdAuthRoutes(routes, app)
    opsRoutes(routes, ops, app.config)
  })
  const { host, port, opsHost, opsPort } = app.config
  const operators = opsPort === undefined ? undefined : opsServer(ops)
  if (operators && opsPort !== undefined) await listen(operators, { host: opsHost, port: opsPort, flags: opsFlags })
  const fd = givenSocket()
  const grace = fd === undefined ? 0 : graceWithSocket
  try {
    // The type does not know `fd`, which node:http prefers to host and port.
    await http.listen({ host, port, ...(fd !== undefined && { fd, backlog: longQueue }) })
  } catch (error) {
    operators?.close()
    throw cannotListen(error as NodeJS.ErrnoException, { host, port, flags })
  }
  const bound = http.server.address() as AddressInfo
  const fromOthers = new GivenConnections(http.server)
  redirectProcesses.start({ server: http.server, take: fromOthers.take })
  const close = () => {
    fastPath.close(grace)
    // A live stream has no end of its own.
    app.live.close()
    // After close, node no longer times out incomplete requests: a single one would block the shutdown forever.
    const timeLimit = given.closeTimeout ?? closeTimeout
    const force = setTimeout(() => {
      http.server.closeAllConnections()
      fromOthers.destroy()
    }, timeLimit)
    const closing = Promise.all([http.close(), redirectProcesses.close(timeLimit, grace)])
    return closing.then(fromOthers.closed).finally(() => {
      clearTimeout(force)
      ops.close()
      // Last, so that monitoring sees the end.
      operators?.close()
      operators?.closeAllConnections()
      return accessLog?.close()
    })
  }
  return { port: bound.port, close }
}

/** Connections that wait while the service is away; the kernel has a limit of its own (net.core.somaxconn). */
const longQueue = 4096

/** Connections that other processes accepted and gave to this one: the server does not wait for them when it closes. */
class GivenConnections {
  readonly #server: Server
  readonly #open = new Set<Socket>()

  constructor(server: Server) {
    this.#server = server
  }

  /** `bytes`: what the other process has read. */
  readonly take = (socket: Socket, bytes: Uint8Array): void => {
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
    // As node:http has it.
    socket.allowHalfOpen = true
    socket.setNoDelay(true)
    socket.unshift(bytes)
    this.#server.emit('connection', socket)
  }

  readonly closed = async (): Promise<void> => {
    await Promise.all([...this.#open].map((socket) => once(socket, 'close')))
  }

  destroy(): void {
    for (const socket of this.#open) socket.destroy()
  }
}

/** node:http types what a server always has as optional. */
function asTraced({ raw }: FastifyRequest): TracedRequest {
  return raw as TracedRequest
}

function openAccessLog({ config, log }: App): AccessLog | undefined {
  const { accessLog: file, accessLogIp } = config
  if (file === undefined) return undefined
  const onFailure = (err: unknown) => log.error({ err }, 'cannot write the access log; requests are not logged')
  return new AccessLog({ file, withIp: accessLogIp === 'on' }, onFailure)
}

/** Fails when a port cannot be used, before anything else is opened. */
export async function requirePorts(config: Pick<Config, 'host' | 'port' | 'opsHost' | 'opsPort'>): Promise<void> {
  const { host, port, opsHost, opsPort } = config
  if (givenSocket() === undefined) await requirePort({ host, port, flags })
  if (opsPort !== undefined) await requirePort({ host: opsHost, port: opsPort, flags: opsFlags })
}

interface Listener {
  readonly host: string
  readonly port: number
  /** The options that choose it. */
  readonly flags: { readonly host: string; readonly port: string }
}

const flags = { host: '--host', port: '--port' }
const opsFlags = { host: '--ops-host', port: '--ops-port' }

async function requirePort(listener: Listener): Promise<void> {
  const probe = createTcpServer((socket) => socket.destroy())
  await listen(probe, listener)
  await new Promise((resolve) => probe.close(resolve))
}

async function listen(server: TcpServer, listener: Listener): Promise<void> {
  const { host, port } = listener
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port }, resolve)
    })
  } catch (error) {
    throw cannotListen(error as NodeJS.ErrnoException, listener)
  }
}

function cannotListen(error: NodeJS.ErrnoException, { host, port, flags }: Listener): Error {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use by another program. Stop it, or choose another with ${flags.port}.`,
    EACCES: `Port ${port} needs more privileges than this user has. Choose one above 1023 with ${flags.port}.`,
    EADDRNOTAVAIL: `This machine has no IP address ${host}. Choose another with ${flags.host}.`,
    ENOTFOUND: `Cannot resolve the host name ${host}. Choose another with ${flags.host}.`,
  }
  const reason = `Cannot listen on ${host}, port ${port} (${error.message}). Choose others with ${flags.host} and ${flags.port}.`
  return new OperatorError(reasons[error.code ?? ''] ?? reason)
}
