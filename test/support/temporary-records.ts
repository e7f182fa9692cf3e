import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Records } from '../../src/storage/records/records.js'
import { openSqlite } from '../../src/storage/records/sqlite.js'

/** Migrated, empty records in a file that goes away with them. */
export async function temporaryRecords(): Promise<Records & { readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-records-'))
  const records = await openSqlite(join(folder, 'records.sqlite'))
  await records.migrate()
  return {
    ...records,
    folder,
    async close() {
      await records.close()
      rmSync(folder, { recursive: true })
    },
  }
}
