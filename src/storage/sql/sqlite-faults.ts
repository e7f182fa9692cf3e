/**
 * What the disk does to a SQLite file: pages that cannot be read, and writes that a full or read-only disk refuses. The
 * service goes on with what works; callers get a refusal, and the operator is told once. Knows no tables.
 */
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'libsql'
import { Refusal, storageFull } from '../../core/values/refusal.js'
import { CircuitBreaker } from '../../lib/circuit-breaker.js'
import { environmentFault } from '../../lib/environment-fault.js'
import { requireWritableIndex } from '../../lib/sqlite-index.js'

/** Called with the reason when it begins, and with `undefined` when it ends. */
type OnChange = (failure: string | undefined) => void

export interface FaultOptions {
  readonly onDamage?: ((reason: string) => void) | undefined
  readonly onFull?: OnChange | undefined
  /** Writes something; rejects while that fails. */
  readonly probe?: () => Promise<unknown>
}

/** Milliseconds without a failed write: on a nearly full disk, a small one may fit between two that do not. */
const quiet = 5000

export class SqliteFaults {
  readonly #file: string
  readonly #onDamage: FaultOptions['onDamage']
  readonly #writes: CircuitBreaker
  #damage: string | undefined
  #refusedAt = 0

  constructor(file: string, { onDamage, onFull, probe }: FaultOptions = {}) {
    this.#file = file
    this.#onDamage = onDamage
    const isQuiet = async () => {
      if (performance.now() - this.#refusedAt < quiet) throw new Error(this.#writes.failure)
      await probe?.()
    }
    this.#writes = new CircuitBreaker({ probe: isQuiet, pause: quiet, ...(onFull && { onChange: onFull }) })
  }

  /** Why some records cannot be read. It does not pass: pages that were read well may still be damaged later on. */
  get damage(): string | undefined {
    return this.#damage
  }

  /** Why nothing can be written; undefined while writing works. */
  get full(): string | undefined {
    return this.#writes.failure
  }

  /** Another thread met damage in the same file. */
  damaged(reason = `${this.#file} is damaged`): void {
    if (this.#damage !== undefined) return
    this.#damage = reason
    this.#onDamage?.(reason)
  }

  /** Before each transaction and checkpoint. */
  requireWritable(): void {
    try {
      requireWritableIndex(this.#file)
    } catch (error) {
      throw this.#refused(error)
    }
  }

  /** The error for the caller. */
  translated(error: unknown): unknown {
    if (isDamage(error)) {
      const reason = `${this.#file} is damaged (${(error as Error).message})`
      this.damaged(reason)
      const message = 'A part of the records of this service is damaged. Its operator has to restore them.'
      return Object.assign(new Refusal('STORAGE_DAMAGED', message, { retryAfter: 60 }), {
        cause: new Error(reason),
      })
    }
    return isRefusedWrite(error) ? this.#refused(error) : error
  }

  close(): void {
    this.#writes.close()
  }

  #refused(error: unknown): Refusal {
    this.#refusedAt = performance.now()
    this.#writes.failed(diskFault(this.#file, error) ?? (error as Error).message)
    return storageFull(error)
  }
}

/** What to tell the operator. SQLite calls it an I/O error if its WAL index does not fit on the disk. */
export function diskFault(file: string, error: unknown): string | undefined {
  const isFull = codeOf(error).startsWith('SQLITE_IOERR') && freeBytes(dirname(file)) < indexBytes
  return environmentFault(isFull ? new Error('database or disk is full', { cause: error }) : error)
}

const indexBytes = 32_768

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** A page that cannot be read is lost, whatever the reason. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|IOERR_(READ|SHORT_READ|DATA|CORRUPTFS))/.test(codeOf(error))
}

function isRefusedWrite(error: unknown): boolean {
  return /^SQLITE_(FULL|READONLY|IOERR|CANTOPEN)/.test(codeOf(error))
}

function codeOf(error: unknown): string {
  return error instanceof Database.SqliteError ? error.code : ''
}
