/** A TCP proxy to a local port that can swallow all bytes, as a firewall does that drops packets: nothing is closed. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export class SilentProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** True: new connections are accepted and get no answer. */
  silent = false
  /** Where new connections go. */
  target: number

  static async start(targetPort: number): Promise<SilentProxy> {
    const proxy = new SilentProxy(targetPort)
    await once(proxy.#server, 'listening')
    return proxy
  }

  private constructor(targetPort: number) {
    this.target = targetPort
    this.#server = createServer((near) => {
      this.#keep(near)
      if (this.silent) return near.resume()
      const far = connect(this.target, '127.0.0.1')
      this.#keep(far)
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        one.pipe(other)
        one.once('close', () => other.destroy())
      }
    }).listen(0, '127.0.0.1')
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** The URL with the port of this proxy. */
  urlOf(target: string): string {
    const url = new URL(target)
    url.port = String(this.port)
    return url.href
  }

  /** From now on, existing connections swallow everything for ever. They stay open. */
  forgetConnections(): void {
    for (const socket of this.#sockets) {
      socket.unpipe()
      socket.removeAllListeners('close')
      socket.once('close', () => this.#sockets.delete(socket))
      socket.resume()
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
  }
}
