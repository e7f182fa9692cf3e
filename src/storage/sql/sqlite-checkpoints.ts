/**
 * Moves what was committed from SQLite's log into its file, on a thread of the driver. With two million links that takes
 * the disk 230 ms for every thousand new ones, because their random hashes touch pages all over the file; done by the
 * connection that commits, which is SQLite's own way, it stops the whole process for as long.
 */

import Connection from 'libsql/promise'

export class Checkpoints {
  readonly #file: string
  #connection: Connection | undefined
  #commits = 0
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #closed = false

  constructor(file: string) {
    this.#file = file
  }

  afterCommit(): void {
    this.#commits += 1
    this.#schedule()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#running
    this.#connection?.close()
  }

  #schedule(): void {
    if (this.#running || this.#closed || this.#commits === 0) return
    if (this.#commits >= soonAfter) this.#start()
    else this.#timer ??= setTimeout(() => this.#start(), atTheLatest).unref()
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#commits = 0
    this.#running = this.#checkpoint().finally(() => {
      this.#running = undefined
      this.#schedule()
    })
  }

  async #checkpoint(): Promise<void> {
    try {
      this.#connection ??= new Connection(this.#file, {})
      // Passive: waits for nobody, and nobody waits for it.
      await this.#connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
    } catch {
      // The log stays as it is, and nothing is lost with it. A disk that is really full or broken shows when the
      // connection that commits writes to it, and that is where it is reported.
    }
  }
}

// Our choice: a commit of a busy service writes some hundred pages, so this is a log of some ten thousand pages; a quiet
// one is moved once a second at most.
const soonAfter = 50
const atTheLatest = 1000
