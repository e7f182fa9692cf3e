/**
 * What happens when bytes on a connection are not HTTP, when headers are too large or take too long. A request that was
 * read to its end is carried out, so it gets its answer, and the connection ends behind it: an error in its place would tell
 * the client that nothing was done. There is no reply object for the rest; it is refused on the socket itself.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface BrokenRequests {
  /** Must see every request of the server, before anybody else. */
  watch(server: Server): void
  answer(error: Error & { code?: string }, socket: Socket): void
}

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
