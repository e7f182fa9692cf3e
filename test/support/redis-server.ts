import { spawn, spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import { freePort } from './free-port.js'
import { OwnServer } from './own-server.js'

/** Why there is no Redis to test with; undefined where there is. Put it into the name of what is skipped. */
export const whyNoRedis: string | undefined = spawnSync('redis-server', ['--version']).error
  ? 'no Redis server is installed (looked for redis-server; on Debian: redis-server)'
  : undefined

/** A real Redis of a test's own: a free loopback port, a temporary folder, nothing kept. */
export class RedisServer extends OwnServer {
  readonly #port: number

  private constructor(port: number) {
    super('redis')
    this.#port = port
  }

  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await freePort())
    await server.run()
    return server
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#port}/0`
  }

  /** Starts it, again on the same port after `kill`. */
  async run(): Promise<void> {
    const flags = ['--port', String(this.#port), '--bind', '127.0.0.1', '--dir', this.folder, '--save', '']
    const server = spawn('redis-server', [...flags, '--appendonly', 'no'], { stdio: 'ignore' })
    await this.answered(server, () => answers(this.#port))
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
