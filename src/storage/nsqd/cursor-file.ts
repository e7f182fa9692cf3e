/**
 * How far each journal has been published, in one small file. It is written after the daemons have confirmed: what a
 * crash takes from it is published again, so an older state of it, or none, costs duplicates and never a click.
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

  /** 0 for a journal that was never published from. */
  get(journalId: string): number {
    return this.#rows.get(journalId) ?? 0
  }

  /** Holds in this process also when the file cannot be written, so that a full disk does not publish for ever. */
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
      if (!isObject(kept)) throw new Error(`${this.#file} holds no positions`)
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
