/**
 * The publish position of each journal, in one small file. It is written after the daemons confirmed: after a crash
 * clicks are published again, so an old or missing file causes duplicates but never loses a click.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isObject } from '../../lib/is-object.js'

export class CursorFile {
  readonly #file: string
  readonly #onTrouble: (reason: string) => void
  readonly #rows: Map<string, number>

  constructor(file: string, onTrouble: (reason: string) => void) {
    this.#file = file
    this.#onTrouble = onTrouble
    this.#rows = new Map(this.#read())
  }

  /** 0 for a journal that was never published. */
  get(journalId: string): number {
    return this.#rows.get(journalId) ?? 0
  }

  /** Also kept in memory, so that a full disk does not cause endless republishing. */
  set(journalId: string, row: number): void {
    this.#rows.set(journalId, row)
    try {
      writeFileSync(`${this.#file}.new`, JSON.stringify(Object.fromEntries(this.#rows)), { mode: 0o600 })
      renameSync(`${this.#file}.new`, this.#file)
    } catch (error) {
      this.#onTrouble(String(error))
    }
  }

  #read(): readonly (readonly [string, number])[] {
    try {
      const kept: unknown = JSON.parse(readFileSync(this.#file, 'utf8'))
      if (!isObject(kept)) throw new Error(`${this.#file} contains no positions`)
      return Object.entries(kept).flatMap(([id, row]) => (isRow(row) ? [[id, row] as const] : []))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#onTrouble(String(error))
      return []
    }
  }
}

function isRow(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
