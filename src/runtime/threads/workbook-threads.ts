/**
 * Reads workbooks of users in threads: a small file can unpack to gigabytes, and neither redirects nor other users wait for
 * it. Each workbook has a thread of its own, with limits of memory and time; a few are read at a time. Its rows go to a
 * temporary file, so that the thread ends however long somebody works on them.
 */
import type { FileHandle } from 'node:fs/promises'
import { Refusal } from '../../core/values/refusal.js'
import { TableError } from '../../core/values/table.js'
import type { Closable } from '../../lib/closing.js'
import { Places } from '../../lib/places.js'
import { readRows } from '../../storage/tables/stored-rows.js'
import type { RawRow } from '../../storage/tables/table-from-rows.js'
import { temporaryFile } from '../../storage/tables/temporary-file.js'
import { runInThread } from './run-in-thread.js'
import type { WorkbookFiles, WorkbookThreadMethods } from './workbook-worker.js'

export interface WorkbookLimits {
  /** Workbooks that are read at a time. */
  readonly places: number
  /** Milliseconds for one. The largest that is allowed takes half a minute on an idle core. */
  readonly timeout?: number
  /** MiB of one. */
  readonly memory?: number
}

export class WorkbookThreads implements Closable {
  readonly #places: Places
  readonly #timeout: number
  readonly #memory: number
  readonly #closed = new AbortController()

  constructor({ places, timeout = 120_000, memory = 384 }: WorkbookLimits) {
    this.#places = new Places(places)
    this.#timeout = timeout
    this.#memory = memory
  }

  /** The rows of the first sheet. `open` is called when it is its turn. Throws a `TableError` after the last readable row. */
  async *rows(open: () => Promise<FileHandle>, signal?: AbortSignal): AsyncGenerator<RawRow> {
    const rows = await temporaryFile()
    try {
      const problem = await this.#inTurn(open, rows, signal)
      yield* readRows(rows.fd)
      if (problem) throw problem
    } finally {
      await rows.close()
    }
  }

  async close(): Promise<void> {
    this.#closed.abort(new Refusal('TEMPORARILY_UNAVAILABLE', 'The service is stopping. Try again in a few seconds.'))
  }

  async #inTurn(open: () => Promise<FileHandle>, rows: FileHandle, signal?: AbortSignal) {
    await this.#places.enter()
    try {
      const ended = AbortSignal.any(signal ? [signal, this.#closed.signal] : [this.#closed.signal])
      ended.throwIfAborted()
      const workbook = await open()
      try {
        return await this.#read({ workbook: workbook.fd, rows: rows.fd }, ended)
      } finally {
        await workbook.close()
      }
    } finally {
      this.#places.leave()
    }
  }

  async #read(data: WorkbookFiles, signal: AbortSignal): Promise<TableError | undefined> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(tooLarge('takes too long to read')), this.#timeout)
    const ended = AbortSignal.any([signal, late.signal])
    try {
      const problem = await runInThread<WorkbookThreadMethods, string | undefined>(
        { module: 'workbooks', data, memory: this.#memory, signal: ended },
        (thread) => thread.read(),
      )
      return problem === undefined ? undefined : new TableError(problem)
    } catch (error) {
      if (error instanceof TableError) return error
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
        return tooLarge('needs too much memory')
      }
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
}

function tooLarge(what: string): TableError {
  return new TableError(`The workbook ${what}. Save it as CSV, or split it.`)
}
