import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** A server of a test's own: its process, and a temporary folder. */
export abstract class OwnServer {
  protected readonly folder: string
  #process: ChildProcess | undefined
  // For a run that ends without tearing down, by Ctrl-C say.
  readonly #onExit = (): void => {
    this.#process?.kill('SIGKILL')
    rmSync(this.folder, { recursive: true, force: true })
  }

  protected constructor(name: string) {
    this.folder = mkdtempSync(join(tmpdir(), `shortlink-${name}-`))
    process.once('exit', this.#onExit)
  }

  /** Resolves when the process answers. */
  protected async answered(server: ChildProcess, answers: () => Promise<boolean>): Promise<void> {
    this.#process = server
    while (!(await answers())) {
      if (server.exitCode !== null) throw new Error(`${server.spawnfile} ended with ${server.exitCode}`)
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
    rmSync(this.folder, { recursive: true, force: true })
  }
}
