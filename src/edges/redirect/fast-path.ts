/**
 * The fast path: parses requests of new connections itself and answers plain requests for short links without
 * node:http, which costs twice as much as the rest of a redirect (ADR 2026-11-15-fast-path). The first request of any
 * other kind hands the connection over to node:http for good.
 */
import { type Server as HttpServer, STATUS_CODES } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { RedirectHandler } from './handler.js'
import type { LinkRequest, Send } from './link-request.js'

export class FastPath {
  readonly #redirects: RedirectHandler
  readonly #connections = new Set<Connection>()
  #closing = false
  #grace = 0

  constructor(redirects: RedirectHandler) {
    this.#redirects = redirects
  }

  /** Takes over new connections of this server. */
  attach(server: HttpServer): void {
    const listeners = server.listeners('connection')
    const toHttp = (socket: Socket) => {
      for (const listener of listeners) listener.call(server, socket)
    }
    server.removeAllListeners('connection')
    server.on('connection', (socket: Socket) => {
      if (this.#closing && this.#grace === 0) return toHttp(socket)
      const timeouts = { first: server.headersTimeout, next: server.keepAliveTimeout }
      this.#begin(socket, { timeouts, handOver: (bytes) => handOver(socket, bytes, toHttp) })
    })
  }

  /**
   * Takes the connections of a server without node:http. Others than those for short links are given to `elsewhere`, as
   * are requests that the handler leaves to another process.
   */
  serve(server: Server, timeouts: Timeouts, elsewhere: (socket: Socket, bytes: Buffer) => void): void {
    server.on('connection', (socket) =>
      this.#begin(socket, { timeouts, handOver: (bytes) => elsewhere(socket, bytes), isElsewhere: true }),
    )
  }

  /** Closes all connections. */
  destroy(): void {
    for (const connection of this.#connections) connection.destroy()
  }

  #begin(socket: Socket, context: Omit<ConnectionContext, 'left'>): void {
    const left = () => this.#connections.delete(connection)
    const connection = new Connection(socket, this.#redirects, { ...context, left })
    this.#connections.add(connection)
    if (this.#closing) connection.close(this.#grace)
  }

  /** Closes idle connections after `grace` milliseconds, and all after their response: a request may be on its way. */
  close(grace = 0): void {
    this.#closing = true
    this.#grace = grace
    for (const connection of this.#connections) connection.close(grace)
  }
}

/** Paused, so that the bytes are neither lost nor reordered. */
function handOver(socket: Socket, bytes: Buffer, toHttp: (socket: Socket) => void): void {
  socket.pause()
  socket.unshift(bytes)
  toHttp(socket)
  socket.resume()
}

/** Idle timeouts in milliseconds: before the first request, and between requests. */
interface Timeouts {
  readonly first: number
  readonly next: number
}

interface ConnectionContext {
  readonly timeouts: Timeouts
  /** Called with the bytes that are not answered. Nobody listens to the socket any more. */
  readonly handOver: (bytes: Buffer) => void
  /** Whether requests may be answered by another process. */
  readonly isElsewhere?: boolean
  /** The connection was closed or handed over. */
  readonly left: () => void
}

class Connection {
  readonly #socket: Socket
  readonly #redirects: RedirectHandler
  readonly #context: ConnectionContext
  /** The request being answered. */
  #request: LinkRequest | undefined
  /** Bytes that arrived before the response was sent (pipelining). */
  #early: Buffer[] = []
  #answers = 0
  #closing = false
  /** Of the request, where it may be answered elsewhere. */
  #bytes: Buffer | undefined

  constructor(socket: Socket, redirects: RedirectHandler, context: ConnectionContext) {
    this.#socket = socket
    this.#redirects = redirects
    this.#context = context
    if (context.isElsewhere) {
      Object.assign(this.#send, { elsewhere: this.#elsewhere })
      socket.on('data', this.#keep)
    }
    socket.setTimeout(context.timeouts.first)
    for (const [event, listener] of this.#listeners) socket.on(event, listener)
  }

  close(grace = 0): void {
    this.#closing = true
    if (this.#request !== undefined) return
    if (grace > 0) this.#socket.setTimeout(grace)
    else this.#socket.destroySoon()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#request !== undefined) {
      this.#early.push(chunk)
      this.#socket.pause()
      return
    }
    this.#request = readPlainRequest(chunk, this.#socket.remoteAddress)
    if (this.#request === undefined || !this.#redirects(this.#request, this.#send)) this.#leave(chunk)
  }

  /** Handing over to another process costs more than the answer: the last request of a connection is answered here, too. */
  #leave(chunk: Buffer): void {
    if (this.#request === undefined && this.#context.isElsewhere) {
      this.#request = readLastRequest(chunk, this.#socket.remoteAddress)
      this.#closing ||= this.#request !== undefined
      if (this.#request !== undefined && this.#redirects(this.#request, this.#send)) return
    }
    this.#handOver(chunk)
  }

  readonly #send: Send = (status, headers, body) => {
    const head = headOf(status, headers, this.#closing ? undefined : this.#context.timeouts.next)
    if (body === undefined || this.#request?.method === 'HEAD') this.#socket.write(head, 'latin1')
    else this.#socket.write(Buffer.concat([Buffer.from(head, 'latin1'), body]))
    if (this.#answers++ === 0) this.#socket.setTimeout(this.#context.timeouts.next)
    // Backpressure: a client that does not read gets no more responses.
    if (!this.#socket.writableNeedDrain) this.#answered()
  }

  readonly #answered = (): void => {
    this.#request = undefined
    if (this.#closing) this.#socket.destroySoon()
    else if (this.#early.length > 0) this.#handOver(Buffer.concat(this.#early))
  }

  readonly #keep = (chunk: Buffer): void => {
    if (this.#request === undefined) this.#bytes = chunk
  }

  readonly #elsewhere = (): void => {
    // A client that is gone needs no answer.
    if (!this.#socket.destroyed) this.#handOver(Buffer.concat([this.#bytes ?? Buffer.alloc(0), ...this.#early]))
  }

  /** Hands the connection and its unread bytes over: to node:http, or to another process. */
  #handOver(bytes: Buffer): void {
    const socket = this.#socket
    for (const [event, listener] of this.#listeners) socket.off(event, listener)
    socket.off('data', this.#keep)
    socket.setTimeout(0)
    this.#context.left()
    this.#context.handOver(bytes)
  }

  // biome-ignore lint/suspicious/noExplicitAny: each event has its own arguments
  readonly #listeners: readonly (readonly [event: string, listener: (...args: any[]) => void])[] = [
    ['data', this.#onData],
    ['drain', this.#answered],
    ['timeout', () => this.#socket.destroy()],
    // The client closed its half: it still gets the pending response.
    ['end', () => this.close()],
    // The client is gone; `close` follows.
    ['error', () => {}],
    ['close', () => this.#context.left()],
  ]
}

/**
 * Reads a request for a short link if the bytes are exactly one complete, plain request: GET or HEAD in HTTP/1.1, no
 * body, no relevant header twice, no invalid byte. Otherwise undefined.
 */
export function readPlainRequest(bytes: Buffer, remoteAddress: string | undefined): LinkRequest | undefined {
  if (bytes.length > maxLength) return undefined
  const text = bytes.toString('latin1')
  const [requestLine, method = '', url = ''] = plain.exec(text) ?? []
  if (requestLine === undefined) return undefined

  const values: (string | undefined)[] = []
  for (let at = requestLine.length, end = text.length - 2; at < end; ) {
    const colon = text.indexOf(':', at)
    const lineEnd = text.indexOf('\r', colon)
    const meaning = meanings.get(text.slice(at, colon).toLowerCase())
    if (meaning !== undefined) {
      if (meaning === unusual || values[meaning] !== undefined) return undefined
      values[meaning] = trimmed(text, colon + 1, lineEnd)
    }
    at = lineEnd + 2
  }
  const [
    host,
    connection,
    userAgent,
    referrer,
    language,
    secPurpose,
    purpose,
    forwardedFor,
    ifNoneMatch,
    acceptEncoding,
  ] = values
  if (host === undefined || (connection !== undefined && connection.toLowerCase() !== 'keep-alive')) return undefined
  return {
    method,
    url,
    host,
    userAgent,
    referrer,
    language,
    purpose: secPurpose ?? purpose,
    forwardedFor,
    ifNoneMatch,
    acceptEncoding,
    remoteAddress,
  }
}

/**
 * The same for a request that would be plain if it were not the last one of its connection: `Connection: close`, or
 * HTTP/1.0, as proxies send it that do not keep connections.
 */
export function readLastRequest(bytes: Buffer, remoteAddress: string | undefined): LinkRequest | undefined {
  if (bytes.length > maxLength) return undefined
  const text = bytes.toString('latin1')
  const newer = text.replace(/^([^\r\n]* HTTP\/1\.)0\r\n/, '$11\r\n')
  const kept = newer.replace(/\r\nconnection: *close *(?=\r\n)/i, '')
  return kept === text ? undefined : readPlainRequest(Buffer.from(kept, 'latin1'), remoteAddress)
}

/** Browser requests have about one kilobyte; node:http accepts sixteen. */
const maxLength = 8192

/**
 * The request line, well-formed headers and the empty line. Stricter than the standard: no tabs, and only ASCII in the
 * path.
 */
const plain = /^(GET|HEAD) (\/[!"$-~]*) HTTP\/1\.1\r\n(?=(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[ -~\x80-\xff]*\r\n)+\r\n$)/

/** Requests with one of these headers are left to node:http. */
const unusual = -1

/** Relevant headers and the index of their value. */
const meanings: ReadonlyMap<string, number> = new Map([
  ...[
    'host',
    'connection',
    'user-agent',
    'referer',
    'accept-language',
    'sec-purpose',
    'purpose',
    'x-forwarded-for',
    'if-none-match',
    'accept-encoding',
  ].map((name, place) => [name, place] as const),
  ...['content-length', 'transfer-encoding', 'upgrade', 'expect', 'trailer'].map((name) => [name, unusual] as const),
])

/** The standard allows spaces around a value; they do not belong to it. */
function trimmed(text: string, from: number, to: number): string {
  let start = from
  let end = to
  while (start < end && text.charCodeAt(start) === space) start++
  while (end > start && text.charCodeAt(end - 1) === space) end--
  return text.slice(start, end)
}

const space = ' '.charCodeAt(0)

/** Same format as node:http. The redirect handler guarantees ASCII values. */
function headOf(status: number, headers: readonly string[], keepAlive: number | undefined): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`
  const connection =
    keepAlive === undefined ? 'close' : `keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAlive / 1000)}`
  return `${head}Date: ${dateNow()}\r\nConnection: ${connection}\r\n\r\n`
}

let second = 0
let date = ''

/** The Date header, formatted once a second. */
function dateNow(): string {
  const now = Date.now()
  // Also when the clock was set back.
  if (now - second >= 1000 || now < second) {
    second = now - (now % 1000)
    date = new Date(now).toUTCString()
  }
  return date
}
