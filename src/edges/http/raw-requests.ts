/** What node:http leaves to its users, before any edge sees a request: two hosts, pipelining, what is not HTTP. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * A request with two Host headers is refused (RFC 9112, 3.2): node:http would take the first, a proxy in front maybe the
 * last, and what the proxy thought it let through would be another domain's.
 */
export function namesTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    // Lower case costs more than the length, and every API request comes by here.
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

export function refuseTwoHosts(response: ServerResponse): void {
  response.writeHead(400, { 'Content-Length': 0, Connection: 'close' }).end()
}

/** Our choice: more than any client sends ahead. They are kept in memory, about 3 KB each. */
const mostWaiting = 1000

/**
 * Pipelined requests (sent before the one before them is answered) are carried out one after the other. Node would begin
 * all of them at once, so that one packet of a single connection could hold up everybody else.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>()
  const ending = new WeakSet<Socket>()

  return (request, response) => {
    // The usual case: no other request of this connection is being answered.
    if (response.socket !== null) return listener(request, response)
    const { socket } = request
    if (ending.has(socket)) return
    const before = waiting.get(socket) ?? 0
    if (before === mostWaiting) {
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

/** What has not been begun gets no answer: the client may send it again. */
function endAfterCurrent(socket: Socket): void {
  socket.pause()
  const current = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage
  if (current) current.once('close', () => socket.destroy())
  else socket.destroy()
}

export interface BrokenRequests {
  /** Must see every request of the server, before anybody else. */
  watch(server: Server): void
  answer(error: Error & { code?: string }, socket: Socket): void
}

/**
 * What happens when bytes on a connection are not HTTP, when headers are too large or take too long. A request that was
 * read to its end is carried out, so it gets its answer, and the connection ends behind it: an error in its place would tell
 * the client that nothing was done. There is no reply object for the rest; it is refused on the socket itself.
 */
export function brokenRequests(): BrokenRequests {
  /** The response to the last request of a connection. */
  const latest = new WeakMap<Socket, ServerResponse>()
  /** Connections that will end. The parser complains about every packet that still comes. */
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
      const status = statusOf[error.code ?? ''] ?? '400 Bad Request'
      if (!response?.req || (response.writableFinished && response.req.complete)) refuse(socket, status)
      else if (response.writableFinished) socket.destroySoon()
      else if (response.req.complete) endAfter(response, socket)
      else refuseInTurn(response, socket, status)
    },
  }
}

function endAfter(response: ServerResponse, socket: Socket): void {
  // Says so in its headers, unless they are out; node:http then ends the connection.
  if (response.headersSent) response.once('finish', () => socket.destroySoon())
  else response.shouldKeepAlive = false
}

/** The body of the last request is what cannot be read: those before it are answered first. */
function refuseInTurn(response: ServerResponse, socket: Socket, status: string): void {
  const current = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage
  if (current && current !== response) current.once('finish', () => refuseInTurn(response, socket, status))
  // A second answer must not come in the middle of the first.
  else if (response.headersSent) endAfter(response, socket)
  else refuse(socket, status)
}

function refuse(socket: Socket, status: string): void {
  socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
  socket.destroy()
}

const statusOf: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}
