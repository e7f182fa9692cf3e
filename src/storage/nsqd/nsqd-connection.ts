/**
 * Client side of the nsqd protocol: sends commands, reads responses in order, and hands on messages. Producers disable
 * heartbeats: the next message notices a dead connection and goes to another daemon.
 */

import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { FrameType, magic } from '../../engines/nsqd/frames.js'
import { Input } from '../../engines/nsqd/input.js'
import { isObject } from '../../lib/is-object.js'
import { messageOf } from '../../lib/message-of.js'
import { OperatorError } from '../../lib/operator-error.js'
import { timeouts, uint32 } from './daemon.js'

interface Waiting {
  readonly resolve: (data: Buffer) => void
  readonly reject: (error: Error) => void
}

/** Twice the largest message that nsqd accepts by default. */
const maxFrameSize = 2 * 1024 * 1024

/** Errors after which the connection stays open: the message was taken back meanwhile, and is delivered again. */
const lateAnswer = /^E_(FIN|REQ|TOUCH)_FAILED/

interface Identification {
  /** Milliseconds; -1 turns heartbeats off, undefined is the daemon's default. */
  readonly heartbeatInterval?: number
}

export class NsqdConnection {
  readonly #host: string
  #socket: Socket
  readonly #input = new Input()
  /** Size of the frame being received, including its type. */
  #size: number | undefined
  #waiting: Waiting[] = []
  #failure: Error | undefined
  /** Called with the data of each message frame. */
  onMessage: (data: Buffer) => void = () => {}
  /** Called once when the connection ends, for whatever reason. */
  onEnd: (error: Error) => void = () => {}

  static async open({ host, port }: { readonly host: string; readonly port: number }): Promise<NsqdConnection> {
    const socket = connectTcp({ host, port, noDelay: true, keepAlive: true })
    await opened(socket, 'connect')
    socket.write(magic)
    return new NsqdConnection(host, socket)
  }

  private constructor(host: string, socket: Socket) {
    this.#host = host
    this.#socket = socket
    this.#listen()
  }

  /** Identifies, and upgrades to TLS when the daemon has a certificate. */
  async identify({ heartbeatInterval }: Identification): Promise<{ readonly authRequired: boolean }> {
    const identification = {
      client_id: 'shortlink',
      user_agent: 'shortlink',
      feature_negotiation: true,
      heartbeat_interval: heartbeatInterval,
      tls_v1: true,
    }
    const answer: unknown = JSON.parse(String(await this.ask(withBody('IDENTIFY', JSON.stringify(identification)))))
    if (!isObject(answer)) throw new Error('it does not negotiate like nsqd')
    if (answer.tls_v1 === true) await this.#encrypt()
    return { authRequired: answer.auth_required === true }
  }

  async authenticate(secret: string): Promise<void> {
    await this.ask(withBody('AUTH', secret))
  }

  /** Sends a command and returns its response. Rejects on an error frame. */
  ask(command: Buffer): Promise<Buffer> {
    const answer = this.#next()
    this.#socket.write(command)
    return answer
  }

  /** Sends a command that has no response. */
  send(command: string): void {
    if (!this.#failure) this.#socket.write(command)
  }

  close(): void {
    this.#end(new Error('connection closed'))
  }

  #next(): Promise<Buffer> {
    if (this.#failure) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#end(new Error('timeout')), timeouts.answer)
      const settled = () => clearTimeout(timer)
      this.#waiting.push({
        resolve: (data) => {
          settled()
          resolve(data)
        },
        reject: (error) => {
          settled()
          reject(error)
        },
      })
    })
  }

  async #encrypt(): Promise<void> {
    const plain = this.#socket
    // From here on TLS reads the data; errors and close of the plain socket still matter.
    plain.removeAllListeners('data')
    this.#input.clear()
    this.#size = undefined
    const named = isIP(this.#host) === 0
    const secure = connectTls({ socket: plain, host: this.#host, ...(named && { servername: this.#host }) })
    this.#socket = secure
    try {
      await opened(secure, 'secureConnect')
    } catch (error) {
      const reason = messageOf(error)
      throw new OperatorError(
        `The certificate of nsqd at ${this.#host} is not trusted (${reason}). Add its CA with NODE_EXTRA_CA_CERTS, and use the host name of its certificate.`,
      )
    }
    const ready = this.#next()
    this.#listen()
    await ready
  }

  #listen(): void {
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk))
    this.#socket.on('error', (error) => this.#end(error))
    this.#socket.on('close', () => this.#end(new Error('the daemon closed the connection')))
  }

  #read(chunk: Buffer): void {
    this.#input.push(chunk)
    while (!this.#failure) {
      this.#size ??= this.#input.bytes(4)?.readUInt32BE()
      if (this.#size === undefined) return
      const isFrame = this.#size >= 4 && this.#size <= maxFrameSize
      if (!isFrame) this.#end(new Error('it does not speak the nsqd protocol'))
      const frame = isFrame && this.#input.bytes(this.#size)
      if (!frame) return
      this.#size = undefined
      const [type, data] = [frame.readUInt32BE(), frame.subarray(4)]
      this.#take(type, data)
    }
  }

  #take(type: number, data: Buffer): void {
    if (type === FrameType.message) this.onMessage(data)
    else if (type === FrameType.error) {
      const text = data.toString()
      if (!lateAnswer.test(text)) this.#end(new Error(text))
    } else if (type === FrameType.response) {
      if (data.equals(heartbeat)) this.send('NOP\n')
      else this.#waiting.shift()?.resolve(data)
    }
  }

  #end(error: Error): void {
    if (this.#failure) return
    this.#failure = error
    this.#socket.destroy()
    const waiting = this.#waiting
    this.#waiting = []
    for (const { reject } of waiting) reject(error)
    this.onEnd(error)
  }
}

const heartbeat = Buffer.from('_heartbeat_')

function withBody(command: string, body: string): Buffer {
  const bytes = Buffer.from(body)
  return Buffer.concat([Buffer.from(`${command}\n`), uint32(bytes.length), bytes])
}

function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error('timeout')), timeouts.connect)
    const failed = (error: Error) => {
      clearTimeout(timer)
      reject(error)
    }
    socket.once('error', failed)
    socket.once(event, () => {
      clearTimeout(timer)
      socket.off('error', failed)
      resolve()
    })
  })
}
