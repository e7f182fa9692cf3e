import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { inject } from 'vitest'
import { httpSession } from '../../src/storage/clickhouse/http-session.js'

/** The ClickHouse engine in a process of its own, reached by HTTP; one for a test file, with a database for each test. */
export class ClickhouseServer {
  readonly #password = randomBytes(12).toString('hex')
  #folder: string | undefined
  #process: ChildProcess | undefined
  #url: Promise<string> | undefined

  /** Why there is none. */
  static skip(): string | undefined {
    const engine = inject('clickhouse')
    return 'skip' in engine ? engine.skip : undefined
  }

  /** The URL of a database that does not exist yet. Starts the server when it is the first one. */
  async newDatabase(): Promise<string> {
    this.#url ??= this.#start()
    return `${await this.#url}/test_${randomBytes(6).toString('hex')}`
  }

  async drop(url: string): Promise<void> {
    const session = httpSession(url)
    await session.run(`DROP DATABASE IF EXISTS \`${session.database}\` SYNC`)
    await session.close()
  }

  /** As a crash does. */
  async kill(): Promise<void> {
    await this.#end((server) => server.kill('SIGKILL'))
  }

  /** On the same port with the same data, after `kill`. */
  async restart(): Promise<void> {
    await this.#start(new URL((await this.#url) ?? '').port)
  }

  /** While frozen it takes connections and answers nothing. */
  freeze(frozen: boolean): void {
    this.#process?.kill(frozen ? 'SIGSTOP' : 'SIGCONT')
  }

  async stop(): Promise<void> {
    await this.#end((server) => server.stdin?.end())
    if (this.#folder) rmSync(this.#folder, { recursive: true, force: true })
  }

  async #end(end: (server: ChildProcess) => void): Promise<void> {
    const server = this.#process
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    end(server)
    await ended
  }

  async #start(samePort = '0'): Promise<string> {
    const engine = inject('clickhouse')
    if ('skip' in engine) throw new Error(`there is no ClickHouse to test with: ${engine.skip}`)
    this.#folder ??= mkdtempSync(join(tmpdir(), 'shortlink-clickhouse-'))
    // Its standard input ends with this process, and with that the server ends: nothing is left behind in any case.
    const server = spawn(process.execPath, [engine.script, 'shortlink', this.#password, this.#folder, samePort], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#process = server
    const lines = createInterface({ input: server.stdout })
    const [first] = await Promise.race([once(lines, 'line'), once(server, 'exit').then(() => ['nothing'])])
    const port = Number(first)
    if (!Number.isInteger(port)) throw new Error(`the ClickHouse engine did not start: it said ${String(first)}`)
    return `http://shortlink:${this.#password}@127.0.0.1:${port}`
  }
}
