/**
 * COPY over a connection of `pg`, which leaves the handling of its data to its caller. The driver calls these methods while
 * the statement is the active one of its client. Knows no tables.
 */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Client, Connection, Submittable } from 'pg'

/** Runs `COPY ... TO STDOUT`. Resolves with the number of rows; does not end the stream. */
export function copyOut(client: Client, sql: string, to: Writable): Promise<number> {
  return new Promise((resolve, reject) => client.query(new Copy(sql, resolve, reject, { to })))
}

/** Runs `COPY ... FROM STDIN`. Resolves with the number of rows. */
export function copyIn(client: Client, sql: string, data: AsyncIterable<Buffer>): Promise<number> {
  return new Promise((resolve, reject) => client.query(new Copy(sql, resolve, reject, { data })))
}

/** The part of the driver's connection that its types leave out. */
interface CopyConnection extends Connection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

interface CopyOptions {
  readonly to?: Writable
  readonly data?: AsyncIterable<Buffer>
}

class Copy implements Submittable {
  readonly #sql: string
  readonly #resolve: (rows: number) => void
  readonly #reject: (error: Error) => void
  readonly #options: CopyOptions
  #rows = 0
  #failure: Error | undefined

  constructor(sql: string, resolve: (rows: number) => void, reject: (error: Error) => void, options: CopyOptions) {
    this.#sql = sql
    this.#resolve = resolve
    this.#reject = reject
    this.#options = options
  }

  submit(connection: Connection): void {
    connection.query(this.#sql)
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }, { stream }: Connection): void {
    const { to } = this.#options
    // Copied, because the driver reuses its buffer.
    if (!to || to.write(Buffer.from(chunk)) || stream.isPaused()) return
    stream.pause()
    to.once('drain', () => stream.resume())
  }

  handleCopyInResponse(connection: CopyConnection): void {
    this.#send(connection).catch((error: unknown) => {
      this.#failure ??= error as Error
      connection.sendCopyFail(String(error))
    })
  }

  async #send(connection: CopyConnection): Promise<void> {
    for await (const chunk of this.#options.data ?? []) {
      if (this.#failure) return
      connection.sendCopyFromChunk(chunk)
      if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain')
    }
    connection.endCopyFrom()
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#rows = Number(/^COPY (\d+)$/.exec(text)?.[1] ?? 0)
  }

  /** After this the driver sends no `readyForQuery` to us. */
  handleError(error: Error): void {
    this.#failure ??= error
    this.#reject(this.#failure)
  }

  handleReadyForQuery({ stream }: Connection): void {
    // The last rows may have paused it, and their file is ended before it drains.
    stream.resume()
    if (this.#failure) this.#reject(this.#failure)
    else this.#resolve(this.#rows)
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}
