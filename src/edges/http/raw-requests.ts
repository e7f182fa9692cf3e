/**
 * The requests of the port as node:http delivers them: passes each to the redirects, the public images or the API, and
 * handles what node:http leaves to its users: two Host headers, pipelining, and bytes that are not HTTP.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface RequestHandlers {
  /** Returns false for a request that it leaves to the others. */
  readonly redirects: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Answers every path that begins with `prefix`, without Fastify. */
  readonly images: { readonly prefix: string; readonly answer: RequestListener }
  readonly api: RequestListener
}

export function requestListener({ redirects, images, api }: RequestHandlers): RequestListener {
  return oneAtATime((request, response) => {
    if (hasTwoHosts(request)) refuseTwoHosts(response)
    else if (redirects(request, response)) return
    else if (originForm(request.url ?? '/').startsWith(images.prefix)) images.answer(request, response)
    else api(request, response)
  })
}

/**
 * A request with two Host headers is refused (RFC 9112, 3.2): node:http uses the first, a proxy may use the last, so the
 * proxy's access rules would apply to another domain.
 */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    // Every API request is checked, and comparing the length is cheaper than lower case.
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

function refuseTwoHosts(response: ServerResponse): void {
  response.writeHead(400, { 'Content-Length': 0, Connection: 'close' }).end()
}

/** Proxies may send an absolute URL in the request line (RFC 9112, 3.2.2); routes see only its path. */
export function originForm(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*\/?/i, '/')
}

/** Maximum pipelined requests of a connection, more than any client sends. Each takes about 3 KB of memory. */
const maxWaiting = 1000

/**
 * Runs pipelined requests of a connection one after the other. node:http would start all of them at once, so one packet of
 * a single connection could delay all other clients.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>()
  const ending = new WeakSet<Socket>()

  return (request, response) => {
    // Usually no other request of this connection is in progress.
    if (response.socket !== null) return listener(request, response)
    const { socket } = request
    if (ending.has(socket)) return
    const before = waiting.get(socket) ?? 0
    if (before === maxWaiting) {
      ending.add(socket)
      endAfterCurrent(socket)
      return
    }
    waiting.set(socket, before + 1)
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1)
      if (!ending.has(socket)) listener(request, response)
    })
  }
}

/** Requests that were not started get no response: the client may send them again. */
function endAfterCurrent(socket: Socket): void {
  socket.pause()
  const current = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage
  if (current) current.once('close', () => socket.destroy())
  else socket.destroy()
}

export interface BrokenRequests {
  /** Must be the first listener for requests of the server. */
  watch(server: Server): void
  answer(error: Error & { code?: string }, socket: Socket): void
}

/**
 * Handles bytes that are not HTTP, and headers that are too large or too slow. A request that was read completely is
 * carried out and answered before the connection ends; an error instead would tell the client that nothing was done.
 * Other requests have no response object, so the error is written to the socket.
 */
export function brokenRequests(): BrokenRequests {
  /** The response to the last request of a connection. */
  const latest = new WeakMap<Socket, ServerResponse>()
  /** Connections that will end. The parser reports an error for every further packet. */
  const ending = new WeakSet<Socket>()

  return {
    watch(server) {
      server.prependListener('request', ({ socket }, response) => latest.set(socket, response))
    },

    answer(error, socket) {
      if (error.code === 'ECONNRESET' || !socket.writable) {
        socket.destroy()
        return
      }
      if (ending.has(socket)) return
      ending.add(socket)
      const response = latest.get(socket)
      const broken = brokenAnswers[error.code ?? ''] ?? notHttp
      if (!response?.req || (response.writableFinished && response.req.complete)) refuse(socket, broken)
      else if (response.writableFinished) socket.destroySoon()
      else if (response.req.complete) endAfter(response, socket)
      else refuseInTurn(response, socket, broken)
    },
  }
}

function endAfter(response: ServerResponse, socket: Socket): void {
  // Sends `Connection: close`, unless the headers were sent already.
  if (response.headersSent) response.once('finish', () => socket.destroySoon())
  else response.shouldKeepAlive = false
}

/** The body of the last request cannot be read: earlier requests are answered first. */
function refuseInTurn(response: ServerResponse, socket: Socket, broken: BrokenAnswer): void {
  const current = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage
  if (current && current !== response) current.once('finish', () => refuseInTurn(response, socket, broken))
  // An error must not be written into a response that has begun.
  else if (response.headersSent) endAfter(response, socket)
  else refuse(socket, broken)
}

/** Nobody knows yet for which API the request was, so the answer has the error format of v4. */
function refuse(socket: Socket, { status, message, description }: BrokenAnswer): void {
  const body = JSON.stringify({ message, resource: '', description })
  const headers = `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close`
  socket.write(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`)
  socket.destroy()
}

interface BrokenAnswer {
  readonly status: string
  readonly message: string
  readonly description: string
}

const notHttp: BrokenAnswer = {
  status: '400 Bad Request',
  message: 'BAD_REQUEST',
  description: 'This is not a request of HTTP/1.1.',
}

const brokenAnswers: Readonly<Record<string, BrokenAnswer>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    message: 'REQUEST_TIMEOUT',
    description: 'The request did not arrive in time. Send it again.',
  },
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message: 'HEADERS_TOO_LARGE',
    description: 'The URL and the headers together are too long. Send fewer or shorter parameters.',
  },
}
