/**
 * The random salts under which visitors are hashed, one per UTC day. Today's and yesterday's are kept in one small file,
 * so that a restart does not count the same visitor twice; older ones are deleted, and with them any way to tell whether
 * an address was among that day's visitors.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type DailySalts, dayLength } from '../core/clicks/visitor.js'
import type { Clock } from '../core/values/time.js'

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
    // Our choice: a day that is over gets a salt in memory only. Late clicks of that day are told apart among themselves.
    if (this.#salts.size >= mostDays) this.#salts.clear()
    this.#salts.set(day, salt)
    if (day >= this.#currentDay() - 1) this.forgetOldDays(true)
    return salt
  }

  /** To be called now and then, so that a salt is gone in time also when nobody clicks. */
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
      // A new data directory has none. Anything else costs the uniqueness of one day's visitors, not a click.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#onTrouble(String(error))
      return []
    }
  }

  #write(): void {
    try {
      writeFileSync(`${this.#file}.new`, JSON.stringify(Object.fromEntries(this.#salts)), { mode: 0o600 })
      renameSync(`${this.#file}.new`, this.#file)
    } catch (error) {
      this.#onTrouble(String(error))
    }
  }
}

/** A backlog or a wrong clock can bring many days; their salts must not pile up. */
const mostDays = 64

/** Salts that the records keep for several processes (shared-salts.ts): nothing is written here. */
export class GivenSalts implements DailySalts {
  #given: ReadonlyMap<number, string>
  readonly #ownDays = new Map<number, string>()

  constructor(given: ReadonlyMap<number, string>) {
    this.#given = given
  }

  use(given: ReadonlyMap<number, string>): void {
    this.#given = given
  }

  /** Our choice: late clicks of a day that is over are told apart among themselves, as with a file. */
  of(day: number): string {
    const known = this.#given.get(day) ?? this.#ownDays.get(day)
    if (known !== undefined) return known
    const salt = newSalt()
    if (this.#ownDays.size >= mostDays) this.#ownDays.clear()
    this.#ownDays.set(day, salt)
    return salt
  }

  /** Whoever gives them has forgotten already. */
  forgetOldDays(): void {}
}

export function newSalt(): string {
  return randomBytes(16).toString('base64url')
}
