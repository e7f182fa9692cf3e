import type Database from 'libsql'
import type { Elsewhere } from '../../core/links/targets.js'
import type { Closable } from '../../lib/closing.js'

/**
 * SQLite keeps a number that moves for this connection whenever another one has committed to the file; what was
 * committed it does not tell. Asking costs 6.5 us.
 */
export function sqliteElsewhere(database: Database.Database): Elsewhere & Closable {
  const statement = database.prepare('PRAGMA data_version')
  return {
    version() {
      const [row] = statement.all() as { data_version: number }[]
      return row?.data_version ?? 0
    },
    onChange() {},
    close() {},
  }
}
