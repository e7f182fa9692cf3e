/** The records of SQLite for a backup: a copy of the file. */
import { copyFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import Database from 'libsql'
import type { RecordCopier } from '../../core/backups/make-backup.js'
import { filesIn, nameOf } from '../../core/backups/manifest.js'
import { copySqlite } from './copy-sqlite.js'
import type { RestoredStore } from './empty-place.js'
import { recordFacts } from './record-facts.js'

export function sqliteRecordCopier(file: string): RecordCopier {
  return {
    engine: 'sqlite',
    async copy(folder) {
      const name = basename(file)
      const copy = join(folder, name)
      copySqlite(file, copy)
      const database = new Database(copy)
      try {
        const facts = await recordFacts(async (sql) => database.prepare(sql).all() as Record<string, unknown>[])
        return { files: [{ name }], ...facts }
      } finally {
        database.close()
      }
    },
  }
}

/** Its emptiness is that of the data directory. */
export const restoredSqliteRecords: RestoredStore = {
  async begin() {},
  async finish() {},
  async restore(backup, folder) {
    for (const file of filesIn(backup.manifest, 'records')) {
      await backup.withFile(file, (path) => copyFile(path, join(folder, nameOf(file))))
    }
  },
}
