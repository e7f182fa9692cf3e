/** The records of SQLite for a backup: a copy of the file. */
import { copyFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import Database from 'libsql'
import { filesIn, nameOf } from '../../core/copies/copy.js'
import type { RecordCopier } from '../../core/copies/make-backup.js'
import { copySqlite } from './copy-sqlite.js'
import type { RestoredStore } from './empty-place.js'
import { countedImports, recordFacts } from './record-facts.js'

export function sqliteRecordCopier(file: string): RecordCopier {
  return {
    engine: 'sqlite',
    countedImports: async () => inDatabase(file, countedImports),
    async copy(folder) {
      const name = basename(file)
      const copy = join(folder, name)
      copySqlite(file, copy)
      return { files: [{ name }], ...(await inDatabase(copy, recordFacts)) }
    },
  }
}

async function inDatabase<T>(file: string, read: (query: Parameters<typeof recordFacts>[0]) => Promise<T>): Promise<T> {
  const database = new Database(file)
  try {
    database.pragma('busy_timeout = 5000')
    return await read(async (sql) => database.prepare(sql).all() as Record<string, unknown>[])
  } finally {
    database.close()
  }
}

export const restoredSqliteRecords: RestoredStore = {
  async restore(backup, folder) {
    for (const file of filesIn(backup.manifest, 'records')) {
      await backup.withFile(file, (path) => copyFile(path, join(folder, nameOf(file))))
    }
  },
}
