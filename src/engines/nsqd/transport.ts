/**
 * One connection's bytes, in clear or through the layers that were agreed on: TLS on the same socket, then deflate.
 * It knows nothing of commands; whoever owns it is told about data, free space and the end.
 */
import type { Socket } from 'node:net'
import type { Duplex, Readable, Writable } from 'node:stream'
import { type SecureContext, TLSSocket } from 'node:tls'
import { constants, createDeflateRaw, createInflateRaw } from 'node:zlib'

export interface TransportEvents {
  onData(piece: Buffer): void
  onDrain(): void
  /** Once: the other side has ended, or the connection broke. */
  onEnd(failure: Error | undefined): void
}

export interface TlsFacts {
  readonly cipherSuite: string
  readonly version: string
  readonly protocol: string
}

/** How long a connection that was told to end may take to read its last words. */
const lastWordsTimeout = 2000

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

  /** Bytes that were written and have not left the process. */
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

  /** Everything read until now was in clear; from here on both directions are TLS, with us as its server. */
  async upgradeToTls(secureContext: SecureContext, timeout: number): Promise<void> {
    this.#detachSource()
    const secured = new TLSSocket(this.#raw, { isServer: true, secureContext })
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the TLS handshake took too long')), timeout)
      const settle = (error?: Error): void => {
        clearTimeout(timer)
        if (error) reject(error)
        else resolve()
      }
      secured.once('secure', () => settle())
      secured.on('error', settle)
      secured.once('close', () => settle(new Error('the connection was closed during the TLS handshake')))
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

  /** Raw streams in both directions, flushed at each write so that a small message does not wait for the next one. */
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
   * Says goodbye: what was written still leaves. What the client goes on sending is read and dropped, because closing
   * over unread bytes resets the connection, and the reset may overtake our last words.
   */
  end(): void {
    if (this.#ended) return
    this.#source.removeAllListeners('data')
    this.#source.resume()
    this.#sink.end()
    setTimeout(() => this.destroy(), lastWordsTimeout).unref()
  }

  destroy(failure?: Error): void {
    this.#line.destroy()
    this.#raw.destroy()
    this.#end(failure)
  }

  #watchLine(line: Duplex): void {
    // A client may close its half and never read again: its messages are better with somebody else.
    line.on('end', () => this.#end(undefined))
  }

  #watchSource(source: Readable): void {
    source.on('data', (piece: Buffer) => this.#events.onData(piece))
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
    setTimeout(() => this.#raw.destroy(), lastWordsTimeout).unref()
  }
}
