import { existsSync } from 'node:fs'
import Database from 'libsql'

/** Writes an SQLite file anew, so that nothing deleted is left in its free pages or its write-ahead log. */
export function rewriteSqlite(file: string): void {
  if (!existsSync(file)) return
  const database = new Database(file)
  try {
    database.exec('VACUUM')
    database.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    database.close()
  }
}
