/** Copies a SQLite file while others use it. Run it outside the HTTP thread: it blocks until the copy is complete. */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import Database from 'libsql'
import { OperatorError } from '../../lib/operator-error.js'
import { isDamage } from '../sql/sqlite-faults.js'

/** VACUUM INTO reads one moment, as any reader does, so nobody waits for it. */
export function copySqlite(from: string, to: string): void {
  const database = new Database(from)
  try {
    database.pragma('busy_timeout = 5000')
    database.exec(`VACUUM INTO '${to.replaceAll("'", "''")}'`)
  } catch (error) {
    if (!isDamage(error)) throw error
    throw new OperatorError(
      `${from} is damaged (${(error as Error).message}), so it cannot be copied. "shortlink doctor" names the backup to restore.`,
    )
  } finally {
    database.close()
  }
  const file = openSync(to, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
