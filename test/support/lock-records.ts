import { join } from 'node:path'
import Database from 'libsql'
import { vi } from 'vitest'

/** Takes SQLite's write lock as soon as no thread of the service holds it. Closing the database gives it back. */
export async function lockRecords(dataDir: string): Promise<Database.Database> {
  const database = new Database(join(dataDir, 'records.sqlite'))
  await vi.waitFor(() => database.exec('BEGIN IMMEDIATE'), { timeout: 20_000, interval: 5 })
  return database
}
