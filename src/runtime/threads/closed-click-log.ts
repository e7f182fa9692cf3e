/**
 * What is known of a DuckDB file that was closed regularly, so that a start need not wait for DuckDB, and a service
 * without clicks need not load it, which takes 40 MB. It holds only for the file exactly as it was left: any change of
 * size or time means that it must be opened.
 */
import { readFileSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClickLogSize } from '../../core/clicks/click-log.js'
import { isObject } from '../../lib/is-object.js'

/** The position of a journal in a closed click log, and the size of the log. */
export interface ClosedLog {
  readonly journalId: string
  readonly row: number
  readonly size: ClickLogSize
}

export class ClosedLogFile {
  readonly #log: string
  readonly #note: string

  constructor(dataDir: string) {
    this.#log = join(dataDir, 'clicks.duckdb')
    this.#note = join(dataDir, 'clicks.closed.json')
  }

  /** Undefined if the log must be opened to know. A log that does not exist has nothing. */
  read(journalId: string): ClosedLog | undefined {
    const log = this.#closed()
    if (log === 'in use') return undefined
    if (log === undefined) return { journalId, row: 0, size: { rows: 0, bytes: 0 } }
    const { row, rows, bytes, modified, ...rest } = this.#written()
    const isSame = rest.journalId === journalId && bytes === log.size && modified === log.mtimeMs
    return isSame && typeof row === 'number' && typeof rows === 'number'
      ? { journalId, row, size: { rows, bytes: log.size } }
      : undefined
  }

  /** Call it after the log was closed. */
  write({ journalId, row, size: { rows } }: ClosedLog): void {
    const log = this.#closed()
    if (log === undefined || log === 'in use') return
    const note = { journalId, row, rows, bytes: log.size, modified: log.mtimeMs }
    writeFileSync(`${this.#note}.new`, JSON.stringify(note))
    renameSync(`${this.#note}.new`, this.#note)
  }

  remove(): void {
    rmSync(this.#note, { force: true })
  }

  /** DuckDB deletes the write-ahead log when it closes a file. */
  #closed(): Stats | 'in use' | undefined {
    const find = (file: string) => statSync(file, { throwIfNoEntry: false })
    return find(`${this.#log}.wal`) ? 'in use' : find(this.#log)
  }

  #written(): Readonly<Record<string, unknown>> {
    try {
      const note: unknown = JSON.parse(readFileSync(this.#note, 'utf8'))
      return isObject(note) ? note : {}
    } catch {
      return {}
    }
  }
}
