import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from './free-port.js'

/** Why there is no Redis to test with; undefined where there is. Put it into the name of what is skipped. */
export const whyNoRedis: string | undefined = spawnSync('redis-server', ['--version']).error
  ? 'no Redis server is installed (looked for redis-server; on Debian: redis-server)'
  : undefined

/** A real Redis of a test's own: a free loopback port, a temporary folder, nothing kept. */
export class RedisServer {
  readonly #directory = mkdtempSync(join(tmpdir(), 'shortlink-redis-'))
  readonly #port: number
  #process: ChildProcess | undefined
  // For a run that ends without tearing down, by Ctrl-C say.
  readonly #onExit = (): void => {
    this.#process?.kill('SIGKILL')
    rmSync(this.#directory, { recursive: true, force: true })
  }

  private constructor(port: number) {
    this.#port = port
    process.once('exit', this.#onExit)
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
    const flags = ['--port', String(this.#port), '--bind', '127.0.0.1', '--dir', this.#directory, '--save', '']
    const server = spawn('redis-server', [...flags, '--appendonly', 'no'], { stdio: 'ignore' })
    this.#process = server
    while (!(await answers(this.#port))) {
      if (server.exitCode !== null) throw new Error(`redis-server ended with ${server.exitCode}`)
      await setTimeout(10)
    }
  }

  /** While frozen it takes connections and answers nothing. */
  freeze(frozen: boolean): void {
    this.#process?.kill(frozen ? 'SIGSTOP' : 'SIGCONT')
  }

  /** As if its machine had gone. */
  async kill(): Promise<void> {
    const server = this.#process
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }

  async stop(): Promise<void> {
    process.off('exit', this.#onExit)
    await this.kill()
    rmSync(this.#directory, { recursive: true, force: true })
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
