/**
 * How many clicks could not be recorded, in a file of fixed size. Its bytes are written at the start, so that a disk that
 * is full later still lets them be overwritten: the number survives a crash of the process.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export interface Lost {
  /** Since this folder was made. */
  readonly ever: number
  /** Since the journal could last be written; 0 while it can. */
  readonly now: number
  /** Epoch milliseconds; undefined: none was ever lost. */
  readonly lastAt: number | undefined
}

const none: Lost = { ever: 0, now: 0, lastAt: undefined }
const fileBytes = 128

export class LostClicks {
  readonly #file: string
  #lost: Lost
  #fd: number | undefined

  constructor(directory: string) {
    this.#file = join(directory, 'lost.json')
    this.#lost = read(this.#file)
    this.#write()
  }

  get lost(): Lost {
    return this.#lost
  }

  add(clicks: number, at: number): void {
    this.#lost = { ever: this.#lost.ever + clicks, now: this.#lost.now + clicks, lastAt: at }
    this.#write()
  }

  /** The journal can be written again. Returns how many were lost meanwhile. */
  end(): number {
    const { now } = this.#lost
    this.#lost = { ...this.#lost, now: 0 }
    this.#write()
    return now
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
  }

  #write(): void {
    const { ever, now, lastAt } = this.#lost
    const text = JSON.stringify({ ever, now, last_at: lastAt && new Date(lastAt).toISOString() })
    try {
      this.#fd ??= openSync(this.#file, 'w')
      writeSync(this.#fd, `${text.padEnd(fileBytes - 1)}\n`, 0)
    } catch {
      // Not even these bytes fit, or the disk is read-only: the number is in memory, and written with the next change.
    }
  }
}

/** A file that is missing or unreadable says nothing. */
function read(file: string): Lost {
  try {
    const { ever, now, last_at: lastAt } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    if (!Number.isSafeInteger(ever) || !Number.isSafeInteger(now)) return none
    return {
      ever: ever as number,
      now: now as number,
      lastAt: typeof lastAt === 'string' ? Date.parse(lastAt) : undefined,
    }
  } catch {
    return none
  }
}
