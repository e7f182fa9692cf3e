/**
 * The fast path: on a new connection it reads requests itself, and as long as they are plain requests for short links
 * it has them answered without node:http, whose general machinery costs twice as much as all the rest of a redirect
 * (ADR 2026-11-15-fast-path). With the first request that is anything else the connection goes over to node:http,
 * bytes and all, for good.
 */
import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { RedirectHandler } from './handler.js'
import type { LinkRequest, Send } from './link-request.js'
import { readPlainRequest } from './plain-request.js'

export class FastPath {
  readonly #redirects: RedirectHandler
  readonly #connections = new Set<Connection>()
  #closing = false

  constructor(redirects: RedirectHandler) {
    this.#redirects = redirects
  }

  /** Connections of this server come here first. What they become is up to what they ask for. */
  standBefore(server: Server): void {
    const listeners = server.listeners('connection')
    const toHttp = (socket: Socket) => {
      for (const listener of listeners) listener.call(server, socket)
    }
    server.removeAllListeners('connection')
    server.on('connection', (socket: Socket) => {
      if (this.#closing) return toHttp(socket)
      const connection = new Connection(socket, this.#redirects, {
        patience: { first: server.headersTimeout, next: server.keepAliveTimeout },
        toHttp,
        left: () => this.#connections.delete(connection),
      })
      this.#connections.add(connection)
    })
  }

  /** Ends connections that wait for nothing now, and the others after their answer. */
  close(): void {
    this.#closing = true
    for (const connection of this.#connections) connection.close()
  }
}

interface Surroundings {
  /** Milliseconds in which nothing may happen on the connection: before its first request, and before another. */
  readonly patience: { readonly first: number; readonly next: number }
  readonly toHttp: (socket: Socket) => void
  /** The connection is not the lane's any more. */
  readonly left: () => void
}

class Connection {
  readonly #socket: Socket
  readonly #redirects: RedirectHandler
  readonly #surroundings: Surroundings
  /** The request that is being answered. */
  #request: LinkRequest | undefined
  /** What came before the answer: more than a plain client sends. */
  #early: Buffer[] = []
  #answers = 0
  #closing = false

  constructor(socket: Socket, redirects: RedirectHandler, surroundings: Surroundings) {
    this.#socket = socket
    this.#redirects = redirects
    this.#surroundings = surroundings
    socket.setTimeout(surroundings.patience.first)
    for (const [event, listener] of this.#listeners) socket.on(event, listener)
  }

  close(): void {
    this.#closing = true
    if (this.#request === undefined) this.#socket.destroySoon()
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#request !== undefined) {
      this.#early.push(chunk)
      this.#socket.pause()
      return
    }
    this.#request = readPlainRequest(chunk, this.#socket.remoteAddress)
    if (this.#request === undefined || !this.#redirects(this.#request, this.#send)) this.#goOver(chunk)
  }

  readonly #send: Send = (status, headers, body) => {
    const head = headOf(status, headers, this.#closing ? undefined : this.#surroundings.patience.next)
    if (body === undefined || this.#request?.method === 'HEAD') this.#socket.write(head, 'latin1')
    else this.#socket.write(Buffer.concat([Buffer.from(head, 'latin1'), body]))
    if (this.#answers++ === 0) this.#socket.setTimeout(this.#surroundings.patience.next)
    // Who does not read its answers gets no more of them.
    if (!this.#socket.writableNeedDrain) this.#answered()
  }

  readonly #answered = (): void => {
    this.#request = undefined
    if (this.#closing) this.#socket.destroySoon()
    else if (this.#early.length > 0) this.#goOver(Buffer.concat(this.#early))
  }

  /** Nothing was read of these bytes as far as node:http can tell. */
  #goOver(bytes: Buffer): void {
    const socket = this.#socket
    for (const [event, listener] of this.#listeners) socket.off(event, listener)
    socket.setTimeout(0)
    this.#surroundings.left()
    // Paused, or the bytes would be given to nobody, or behind those that follow.
    socket.pause()
    socket.unshift(bytes)
    this.#surroundings.toHttp(socket)
    socket.resume()
  }

  // biome-ignore lint/suspicious/noExplicitAny: each event has its own arguments
  readonly #listeners: readonly (readonly [event: string, listener: (...args: any[]) => void])[] = [
    ['data', this.#onData],
    ['drain', this.#answered],
    ['timeout', () => this.#socket.destroy()],
    // The other side says no more: it still gets what it waits for.
    ['end', () => this.close()],
    // A visitor who is gone; `close` follows.
    ['error', () => {}],
    ['close', () => this.#surroundings.left()],
  ]
}

/** As node:http would write it. The values come from the redirect handler, which lets nothing but ASCII into them. */
function headOf(status: number, headers: readonly string[], keepAlive: number | undefined): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`
  const connection =
    keepAlive === undefined ? 'close' : `keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAlive / 1000)}`
  return `${head}Date: ${dateNow()}\r\nConnection: ${connection}\r\n\r\n`
}

let second = 0
let date = ''

/** Written once a second, like everybody's. */
function dateNow(): string {
  const now = Date.now()
  // Also when the clock was put back.
  if (now - second >= 1000 || now < second) {
    second = now - (now % 1000)
    date = new Date(now).toUTCString()
  }
  return date
}
