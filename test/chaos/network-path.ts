/**
 * A TCP path from one party to another on loopback. It can be cut (connections are reset, new ones refused), stalled (bytes
 * wait until it is open again, as while a partition lasts) and slow (delay, and now and then the wait for a lost packet).
 */
import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { pipeline, Transform } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'

export type PathState = 'open' | 'cut' | 'stalled' | 'slow'

export class NetworkPath {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #state: PathState = 'open'
  readonly #changes = new EventEmitter().setMaxListeners(0)

  static async to(targetPort: number): Promise<NetworkPath> {
    const path = new NetworkPath(targetPort)
    await once(path.#server, 'listening')
    return path
  }

  private constructor(targetPort: number) {
    this.#server = createServer((near) => {
      if (this.#state === 'cut') return near.resetAndDestroy()
      const far = connect(targetPort, '127.0.0.1')
      for (const [from, into] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from)
        from.setNoDelay()
        from.once('close', () => this.#sockets.delete(from))
        pipeline(from, this.#passage(), into, (error) => {
          if (!error) return
          near.destroy()
          far.destroy()
        })
      }
    }).listen(0, '127.0.0.1')
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** The URL with the port of this path. */
  urlOf(target: string): string {
    const url = new URL(target)
    url.port = String(this.port)
    return url.href
  }

  set(state: PathState): void {
    this.#state = state
    if (state === 'cut') for (const socket of this.#sockets) socket.resetAndDestroy()
    this.#changes.emit('change')
  }

  async close(): Promise<void> {
    this.set('cut')
    this.#server.close()
    await once(this.#server, 'close')
  }

  #passage(): Transform {
    return new Transform({
      transform: async (bytes, _, passed) => {
        while (this.#state === 'stalled') await once(this.#changes, 'change')
        if (this.#state === 'slow')
          await wait(Math.random() < 0.05 ? 200 + Math.random() * 800 : 10 + Math.random() * 60)
        passed(null, bytes)
      },
    })
  }
}
