/**
 * Random salts for visitor hashes, one per UTC day. Today's and yesterday's are stored in one small file, so that a
 * restart does not count a visitor twice. Older ones are deleted: after that nobody can check whether an IP was among
 * that day's visitors.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type DailySalts, dayLength } from '../../core/clicks/visitor.js'
import type { Clock } from '../../core/values/time.js'

export class SaltFile implements DailySalts {
  readonly #file: string
  readonly #clock: Clock
  readonly #onTrouble: (message: string) => void
  readonly #salts = new Map<number, string>()
  #today: number

  constructor(file: string, clock: Clock, onTrouble: (message: string) => void) {
    this.#file = file
    this.#clock = clock
    this.#onTrouble = onTrouble
    this.#today = this.#currentDay()
    for (const [day, salt] of this.#read()) this.#salts.set(day, salt)
    this.forgetOldDays()
  }

  of(day: number): string {
    const known = this.#salts.get(day)
    if (known !== undefined) return known
    const salt = newSalt()
    // A past day gets a salt in memory only: enough to distinguish late clicks of that day.
    if (this.#salts.size >= maxDays) this.#salts.clear()
    this.#salts.set(day, salt)
    if (day >= this.#currentDay() - 1) this.forgetOldDays(true)
    return salt
  }

  /** Call it regularly, so that salts are deleted in time also without clicks. */
  forgetOldDays(changed = false): void {
    const today = this.#currentDay()
    if (today === this.#today && !changed) return
    this.#today = today
    for (const day of this.#salts.keys()) if (day < today - 1) this.#salts.delete(day)
    this.#write()
  }

  #currentDay(): number {
    return Math.floor(this.#clock.now() / dayLength)
  }

  #read(): readonly (readonly [number, string])[] {
    try {
      const kept = JSON.parse(readFileSync(this.#file, 'utf8')) as Record<string, unknown>
      return Object.entries(kept).flatMap(([day, salt]) =>
        typeof salt === 'string' && Number(day) >= this.#today - 1 ? [[Number(day), salt] as const] : [],
      )
    } catch (error) {
      // A new data directory has no file. Any other error may count one day's visitors twice, but loses no click.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#onTrouble(String(error))
      return []
    }
  }

  #write(): void {
    try {
      writeSalts(this.#file, this.#salts)
    } catch (error) {
      this.#onTrouble(String(error))
    }
  }
}

export function writeSalts(file: string, salts: ReadonlyMap<number, string>): void {
  writeFileSync(`${file}.new`, JSON.stringify(Object.fromEntries(salts)), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** The stored salts by day, for a command; empty when there is no file. */
export function readSalts(file: string): ReadonlyMap<number, string> {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
    return new Map(Object.entries(kept).map(([day, salt]) => [Number(day), salt]))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    throw error
  }
}

/** A backlog or a wrong clock can bring many days; limit their salts. */
const maxDays = 64

/** Salts that several processes share through the records (shared-salts.ts): nothing is written here. */
export class GivenSalts implements DailySalts {
  #given: ReadonlyMap<number, string>
  readonly #ownDays = new Map<number, string>()

  constructor(given: ReadonlyMap<number, string>) {
    this.#given = given
  }

  use(given: ReadonlyMap<number, string>): void {
    this.#given = given
  }

  /** Past days get a salt in memory, as in SaltFile. */
  of(day: number): string {
    const known = this.#given.get(day) ?? this.#ownDays.get(day)
    if (known !== undefined) return known
    const salt = newSalt()
    if (this.#ownDays.size >= maxDays) this.#ownDays.clear()
    this.#ownDays.set(day, salt)
    return salt
  }

  /** The records delete old salts. */
  forgetOldDays(): void {}
}

export function newSalt(): string {
  return randomBytes(16).toString('base64url')
}
