/** The protocol by hand: bytes out, frames in. It hides nothing, so that tests can say what a real client never would. */
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls, type SecureVersion, type TLSSocket } from 'node:tls'
import { constants, createDeflateRaw, createInflateRaw } from 'node:zlib'
import { certificate } from './certificate.js'

export interface Frame {
  readonly type: number
  readonly data: Buffer
}

export interface Message {
  readonly time: bigint
  readonly attempts: number
  readonly id: string
  readonly body: Buffer
}

const response = 0
export const error = 1
const message = 2

/** Longer than anything the protocol makes a client wait for on this machine, an answer of a busy one included. */
const waitTimeout = 60_000

export class RawClient {
  readonly heartbeats: number[] = []
  readonly #frames: Frame[] = []
  #socket: Socket
  #layer: Duplex
  #sink: Duplex
  #rest: Buffer = Buffer.alloc(0)
  #received = 0
  #closed = false
  #tls: TLSSocket | undefined
  #changed: () => void = () => {}
  #answersHeartbeats = true

  static async to(port: number): Promise<RawClient> {
    const client = await RawClient.silent(port)
    client.send('  V2')
    return client
  }

  /** Connected, and nothing said yet. */
  static async silent(port: number): Promise<RawClient> {
    const socket = connect(port, '127.0.0.1')
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    return new RawClient(socket)
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#layer = socket
    this.#sink = socket
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => this.#end())
    socket.on('end', () => this.#end())
    socket.on('data', this.#receive)
  }

  get bytesReceived(): number {
    return this.#received
  }

  get isClosed(): boolean {
    return this.#closed
  }

  get tls(): TLSSocket | undefined {
    return this.#tls
  }

  ignoreHeartbeats(): void {
    this.#answersHeartbeats = false
  }

  send(...pieces: readonly (string | Buffer)[]): void {
    if (!this.#sink.writableEnded)
      this.#sink.write(Buffer.concat(pieces.map((piece) => Buffer.from(piece as string, 'latin1'))))
  }

  command(line: string, body?: string | Buffer): void {
    if (body === undefined) this.send(`${line}\n`)
    else this.send(`${line}\n`, sized(body))
  }

  identify(fields: object): void {
    this.command('IDENTIFY', JSON.stringify(fields))
  }

  /** IDENTIFY with negotiation; answers what the server said. */
  async negotiate(fields: object = {}): Promise<Record<string, unknown>> {
    this.identify({ feature_negotiation: true, ...fields })
    return JSON.parse(await this.response()) as Record<string, unknown>
  }

  async subscribe(topic: string, channel: string, ready?: number): Promise<void> {
    this.command(`SUB ${topic} ${channel}`)
    const answer = await this.response()
    if (answer !== 'OK') throw new Error(`SUB was answered with ${answer}`)
    if (ready !== undefined) this.command(`RDY ${ready}`)
  }

  async publish(topic: string, ...bodies: readonly (string | Buffer)[]): Promise<void> {
    this.command(`MPUB ${topic}`, batch(bodies))
    const answer = await this.#answer()
    if (answer !== 'OK') throw new Error(`MPUB was answered with ${answer}`)
  }

  /** The next frame that is not a heartbeat. */
  async frame(): Promise<Frame> {
    await this.#until(() => this.#frames.length > 0 || this.#closed, 'a frame')
    const frame = this.#frames.shift()
    if (!frame) throw new Error('the connection was closed instead of a frame')
    return frame
  }

  async response(): Promise<string> {
    return this.#text(response)
  }

  /** The text of an error frame. */
  async refusal(): Promise<string> {
    return this.#text(error)
  }

  async message(): Promise<Message> {
    const { type, data } = await this.frame()
    if (type !== message) throw new Error(`expected a message, got ${type} ${data.toString()}`)
    return {
      time: data.readBigInt64BE(0),
      attempts: data.readUInt16BE(8),
      id: data.toString('latin1', 10, 26),
      body: data.subarray(26),
    }
  }

  async messages(count: number): Promise<readonly Message[]> {
    const all: Message[] = []
    while (all.length < count) all.push(await this.message())
    return all
  }

  async closed(): Promise<void> {
    await this.#until(() => this.#closed, 'the end of the connection')
    if (this.#frames.length > 0) throw new Error(`more was said before the end: ${this.#frames[0]?.data.toString()}`)
  }

  async heartbeat(count: number): Promise<void> {
    await this.#until(() => this.heartbeats.length >= count || this.#closed, `heartbeat ${count}`)
  }

  /** Nothing is said for this long, heartbeats aside; the connection stays. */
  async silence(milliseconds: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    const [frame] = this.#frames
    if (frame) throw new Error(`expected silence, got ${frame.type} ${frame.data.toString('latin1').slice(0, 200)}`)
    if (this.#closed) throw new Error('expected silence, got the end of the connection')
  }

  async upgradeToTls(version?: SecureVersion): Promise<void> {
    this.#socket.removeListener('data', this.#receive)
    const range = version === undefined ? {} : { minVersion: version, maxVersion: version }
    const secured = connectTls({ socket: this.#socket, ca: certificate.cert, servername: 'localhost', ...range })
    await new Promise<void>((resolve, reject) => {
      secured.once('secureConnect', resolve)
      secured.once('error', reject)
    })
    secured.on('error', () => {})
    secured.on('end', () => this.#end())
    secured.on('data', this.#receive)
    this.#tls = secured
    this.#layer = secured
    this.#sink = secured
  }

  upgradeToDeflate(): void {
    this.#layer.removeListener('data', this.#receive)
    const inflate = createInflateRaw({ flush: constants.Z_SYNC_FLUSH })
    const deflate = createDeflateRaw({ flush: constants.Z_SYNC_FLUSH })
    for (const layer of [inflate, deflate]) layer.on('error', () => this.#end())
    const early = this.#rest
    this.#rest = Buffer.alloc(0)
    inflate.on('data', this.#receive)
    if (early.length > 0) inflate.write(early)
    this.#layer.pipe(inflate)
    deflate.pipe(this.#layer)
    this.#sink = deflate
  }

  /** Stops reading, as a consumer that hangs. */
  hang(): void {
    this.#socket.pause()
  }

  close(): void {
    this.#sink.end()
    this.#socket.destroy()
    this.#end()
  }

  /** The next frame that is no message: one may come before the answer to its own publication, and stays for later. */
  async #answer(): Promise<string> {
    const isAnswer = ({ type }: Frame) => type !== message
    await this.#until(() => this.#frames.some(isAnswer) || this.#closed, 'an answer')
    const at = this.#frames.findIndex(isAnswer)
    const [frame] = at === -1 ? [] : this.#frames.splice(at, 1)
    if (!frame) throw new Error('the connection was closed instead of an answer')
    return frame.data.toString('utf8')
  }

  async #text(type: number): Promise<string> {
    const frame = await this.frame()
    const text = frame.data.toString('utf8')
    if (frame.type !== type)
      throw new Error(`expected a frame of type ${type}, got ${frame.type} ${text.slice(0, 200)}`)
    return text
  }

  readonly #receive = (piece: Buffer): void => {
    this.#received += piece.length
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece])
    // A frame that cannot be one is left in place: after an upgrade was agreed on it is the first bytes of the new layer.
    while (this.#rest.length >= 8 && this.#rest.readInt32BE(4) <= message && this.#rest.readInt32BE(4) >= 0) {
      const size = this.#rest.readInt32BE(0)
      if (size < 4 || this.#rest.length < size + 4) break
      this.#take({ type: this.#rest.readInt32BE(4), data: Buffer.from(this.#rest.subarray(8, size + 4)) })
      this.#rest = this.#rest.subarray(size + 4)
    }
    this.#changed()
  }

  #take(frame: Frame): void {
    if (frame.type !== response || frame.data.toString() !== '_heartbeat_') {
      this.#frames.push(frame)
      return
    }
    this.heartbeats.push(Date.now())
    if (this.#answersHeartbeats) this.command('NOP')
  }

  #end(): void {
    this.#closed = true
    this.#changed()
  }

  async #until(done: () => boolean, what: string): Promise<void> {
    const deadline = Date.now() + waitTimeout
    while (!done()) {
      const left = deadline - Date.now()
      if (left <= 0) throw new Error(`waited ${waitTimeout} ms for ${what}`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        const before = this.#changed
        this.#changed = () => {
          clearTimeout(timer)
          before()
          this.#changed = () => {}
          resolve()
        }
      })
    }
  }
}

/** Four bytes of size, then the body. */
export function sized(body: string | Buffer): Buffer {
  const bytes = Buffer.from(body as string, 'latin1')
  return Buffer.concat([size(bytes.length), bytes])
}

export function size(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

/** The body of MPUB, without its own size. */
export function batch(bodies: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat([size(bodies.length), ...bodies.map(sized)])
}
