/**
 * Byte stream of one connection, plain or through the negotiated layers: TLS on the same socket, then deflate. It knows
 * nothing about commands; it reports data, drain and end to its owner.
 */
import type { Socket } from 'node:net'
import type { Duplex, Readable, Writable } from 'node:stream'
import { type SecureContext, TLSSocket } from 'node:tls'
import { constants, createDeflateRaw, createInflateRaw } from 'node:zlib'

export interface TransportEvents {
  onData(chunk: Buffer): void
  onDrain(): void
  /** Called once: the client ended or the connection failed. */
  onEnd(failure: Error | undefined): void
}

export interface TlsFacts {
  readonly cipherSuite: string
  readonly version: string
  readonly protocol: string
}

/** How long a closing connection may take to read the last frame. */
const closeTimeout = 2000

export class Transport {
  readonly #raw: Socket
  readonly #events: TransportEvents
  #line: Duplex
  #source: Readable
  #sink: Writable
  #ended = false
  #tls: TlsFacts | undefined

  constructor(socket: Socket, events: TransportEvents) {
    this.#raw = socket
    this.#events = events
    this.#line = socket
    this.#source = socket
    this.#sink = socket
    socket.setNoDelay(true)
    socket.on('error', (error) => this.#end(error))
    socket.on('close', () => this.#end(undefined))
    this.#watchLine(socket)
    this.#watchSource(socket)
    this.#watchSink(socket)
  }

  get tls(): TlsFacts | undefined {
    return this.#tls
  }

  /** Bytes written that have not left the process. */
  get unsent(): number {
    return this.#sink.writableLength
  }

  write(bytes: Buffer): void {
    if (!this.#ended) this.#sink.write(bytes)
  }

  pause(): void {
    this.#source.pause()
  }

  resume(): void {
    if (!this.#ended) this.#source.resume()
  }

  /** From here on both directions use TLS, with us as the server. */
  async upgradeToTls(secureContext: SecureContext, timeout: number): Promise<void> {
    this.#detachSource()
    const secured = new TLSSocket(this.#raw, { isServer: true, secureContext })
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('TLS handshake timed out')), timeout)
      const settle = (error?: Error): void => {
        clearTimeout(timer)
        if (error) reject(error)
        else resolve()
      }
      secured.once('secure', () => settle())
      secured.on('error', settle)
      secured.once('close', () => settle(new Error('connection closed during the TLS handshake')))
    })
    secured.on('error', (error) => this.#end(error))
    this.#tls = {
      cipherSuite: secured.getCipher().standardName,
      version: (secured.getProtocol() ?? '').replace('v', ''),
      protocol: secured.alpnProtocol || '',
    }
    this.#line = secured
    this.#sink = secured
    this.#watchLine(secured)
    this.#watchSink(secured)
    this.#source = secured
    this.#watchSource(secured)
  }

  /** Raw deflate in both directions, flushed at each write so that a small message does not wait for the next one. */
  upgradeToDeflate(level: number): void {
    this.#detachSource()
    const inflate = createInflateRaw({ flush: constants.Z_SYNC_FLUSH })
    const deflate = createDeflateRaw({ level, flush: constants.Z_SYNC_FLUSH })
    for (const layer of [inflate, deflate]) layer.on('error', (error: Error) => this.destroy(error))
    this.#sink.removeAllListeners('drain')
    deflate.pipe(this.#line)
    this.#line.pipe(inflate)
    this.#sink = deflate
    this.#source = inflate
    this.#watchSink(deflate)
    this.#watchSource(inflate)
  }

  /**
   * Closes gracefully: written bytes still leave. Incoming bytes are read and dropped, because closing a socket with
   * unread bytes sends a reset that may overtake our last frame.
   */
  end(): void {
    if (this.#ended) return
    this.#source.removeAllListeners('data')
    this.#source.resume()
    this.#sink.end()
    setTimeout(() => this.destroy(), closeTimeout).unref()
  }

  destroy(failure?: Error): void {
    this.#line.destroy()
    this.#raw.destroy()
    this.#end(failure)
  }

  #watchLine(line: Duplex): void {
    // A client that closes its half may never read again: end, so that its messages go to another consumer.
    line.on('end', () => this.#end(undefined))
  }

  #watchSource(source: Readable): void {
    source.on('data', (chunk: Buffer) => this.#events.onData(chunk))
  }

  #watchSink(sink: Writable): void {
    sink.on('drain', () => this.#events.onDrain())
  }

  #detachSource(): void {
    this.#source.removeAllListeners('data')
    this.#source.pause()
  }

  #end(failure: Error | undefined): void {
    if (this.#ended) return
    this.#ended = true
    this.#events.onEnd(failure)
    setTimeout(() => this.#raw.destroy(), closeTimeout).unref()
  }
}
