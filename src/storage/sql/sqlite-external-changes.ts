/**
 * Tells processes on one SQLite file which addresses others changed. A transaction that changes targets writes their
 * addresses into a table; the others read it after a commit that was not theirs, which PRAGMA data_version shows. It
 * takes 7 us, at most once a millisecond: less than a hundredth of a busy service's time.
 */
import { randomUUID } from 'node:crypto'
import type Database from 'libsql'
import type { ExternalChanges } from '../../core/links/redirect-cache.js'
import type { Announce } from './database/announce.js'

/** Whoever misses more than this many notices expires all that it has cached. */
const keptNotices = 64

export class SqliteExternalChanges implements ExternalChanges {
  /** Some writes are not announced: new random hashes, restored archives, an operator's own SQL. */
  readonly maxAge = 60_000
  readonly #database: Database.Database
  readonly #askVersion: Database.Statement
  #askNotices: Database.Statement | undefined
  readonly #writer = randomUUID()
  readonly #listeners: ((addresses: readonly string[]) => void)[] = []
  #dataVersion: number
  #version = 0
  /** The last notice that was read. */
  #position = 0

  constructor(database: Database.Database) {
    this.#database = database
    this.#askVersion = database.prepare('PRAGMA data_version')
    this.#dataVersion = this.#readDataVersion()
  }

  version(): number {
    try {
      this.#look()
    } catch {
      // The file cannot be read: queries say so. Cached entries have a maximum age.
    }
    return this.#version
  }

  onChange(listener: (addresses: readonly string[]) => void): void {
    // Not before: the table exists since the migrations ran.
    if (this.#listeners.length === 0) this.#position = this.#newer(0).at(-1)?.position ?? 0
    this.#listeners.push(listener)
  }

  /** In the transaction of the change, so that both are committed together. */
  readonly announce: Announce = async (tx, addresses) => {
    const { position } = await tx
      .insertInto('address_changes')
      .values({ writer: this.#writer, addresses: addresses.join('\n') })
      .returning('position')
      .executeTakeFirstOrThrow()
    await tx
      .deleteFrom('address_changes')
      .where('position', '<=', position - keptNotices)
      .execute()
  }

  #look(): void {
    if (this.#listeners.length === 0) return
    const dataVersion = this.#readDataVersion()
    if (dataVersion === this.#dataVersion) return
    this.#dataVersion = dataVersion
    const notices = this.#newer(this.#position)
    if ((notices[0]?.position ?? 0) > this.#position + 1) this.#version += 1
    const foreign = notices.filter(({ writer }) => writer !== this.#writer)
    // A transaction of this process may be open and be undone: then another process gets the positions of its notices.
    this.#position = (this.#database.inTransaction ? foreign : notices).at(-1)?.position ?? this.#position
    for (const { addresses } of foreign) {
      for (const listener of this.#listeners) listener(addresses.split('\n'))
    }
  }

  #newer(position: number): readonly Notice[] {
    this.#askNotices ??= this.#database.prepare(
      'select position, writer, addresses from address_changes where position > ? order by position',
    )
    return this.#askNotices.all([position]) as Notice[]
  }

  #readDataVersion(): number {
    const [row] = this.#askVersion.all() as { data_version: number }[]
    return row?.data_version ?? 0
  }
}

interface Notice {
  readonly position: number
  readonly writer: string
  readonly addresses: string
}
