/**
 * A small stream consumer for `stream tail`: TLS pinned to the certificate of the service, and an ephemeral channel.
 * Other programs use one of the libraries in docs/stream.md.
 */
import { randomBytes, X509Certificate } from 'node:crypto'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { WatchedTopic } from '../core/stream/stream.js'
import { OperatorError } from '../lib/operator-error.js'

export interface Message {
  /** Publish time. */
  readonly at: number
  readonly body: string
}

/** Reads until `take` has enough, or the service closes the connection. */
export async function readMessages(
  watched: WatchedTopic,
  take: (message: Message) => 'more' | 'enough',
): Promise<void> {
  const plain = connectTcp({ host: reachable(watched.host), port: watched.port })
  await opened(plain, 'connect')
  plain.write('  V2')
  const identification = {
    client_id: 'shortlink',
    user_agent: 'shortlink-tail',
    feature_negotiation: true,
    tls_v1: true,
  }
  plain.write(withBody('IDENTIFY', JSON.stringify(identification)))
  await expectAnswer(new Frames(plain))
  const socket = await encrypted(plain, watched.certificate)
  const frames = new Frames(socket)
  try {
    await expectAnswer(frames)
    socket.write(withBody('AUTH', watched.secret))
    await expectAnswer(frames)
    socket.write(`SUB ${watched.topic} tail-${randomBytes(4).toString('hex')}#ephemeral\n`)
    await expectAnswer(frames)
    socket.write('RDY 1000\n')
    for (;;) {
      const { type, data } = await frames.next()
      if (type === errorFrame) throw refusedBy(data)
      if (type !== messageFrame) socket.write('NOP\n')
      else {
        const wanted = take({ at: Number(data.readBigInt64BE(0) / 1_000_000n), body: data.toString('utf8', 26) })
        socket.write(`FIN ${data.toString('latin1', 10, 26)}\n`)
        if (wanted === 'enough') return
      }
    }
  } finally {
    socket.end()
  }
}

const errorFrame = 1
const messageFrame = 2

/** A wildcard listen address is reached on loopback. */
function reachable(host: string): string {
  return host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
}

/** No host name check: the certificate itself is pinned. */
async function encrypted(plain: Socket, certificate: string): Promise<Socket> {
  const socket = connectTls({ socket: plain, rejectUnauthorized: false })
  await opened(socket, 'secureConnect')
  const shown = socket.getPeerX509Certificate()
  if (!shown?.raw.equals(new X509Certificate(certificate).raw)) {
    socket.destroy()
    throw new OperatorError('Another program answers on the port of the stream. Check the log of the service.')
  }
  return socket
}

function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => {
      socket.off('error', reject)
      resolve()
    })
    socket.once('error', reject)
  })
}

async function expectAnswer(frames: Frames): Promise<void> {
  for (;;) {
    const { type, data } = await frames.next()
    if (type === errorFrame) throw refusedBy(data)
    if (String(data) !== '_heartbeat_') {
      frames.leave()
      return
    }
  }
}

function refusedBy(data: Buffer): Error {
  return new OperatorError(`The stream answered: ${String(data)}.`)
}

function withBody(command: string, body: string): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(Buffer.byteLength(body))
  return Buffer.concat([Buffer.from(`${command}\n`), size, Buffer.from(body)])
}

/** Reads frames of the server one at a time. */
class Frames {
  readonly #socket: Socket
  #unread: Buffer = Buffer.alloc(0)

  constructor(socket: Socket) {
    this.#socket = socket
  }

  async next(): Promise<{ readonly type: number; readonly data: Buffer }> {
    const size = (await this.#take(4)).readUInt32BE(0)
    const frame = await this.#take(size)
    return { type: frame.readUInt32BE(0), data: frame.subarray(4) }
  }

  /** Gives unread bytes back to the socket: after a response the connection may be upgraded. */
  leave(): void {
    if (this.#unread.length > 0) this.#socket.unshift(this.#unread)
    this.#unread = Buffer.alloc(0)
  }

  async #take(bytes: number): Promise<Buffer> {
    while (this.#unread.length < bytes) this.#unread = Buffer.concat([this.#unread, await this.#more()])
    const taken = this.#unread.subarray(0, bytes)
    this.#unread = this.#unread.subarray(bytes)
    return taken
  }

  #more(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunk: Buffer | null = this.#socket.read()
      if (chunk) return resolve(chunk)
      const ended = () => settle(() => reject(new OperatorError('The service closed the connection.')))
      const failed = (error: Error) => settle(() => reject(error))
      const readable = () => {
        const found: Buffer | null = this.#socket.read()
        if (found) settle(() => resolve(found))
      }
      const settle = (finish: () => void) => {
        this.#socket.off('readable', readable).off('end', ended).off('error', failed)
        finish()
      }
      this.#socket.on('readable', readable).on('end', ended).on('error', failed)
    })
  }
}
