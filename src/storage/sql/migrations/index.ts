import { readdirSync } from 'node:fs'
import type { Migration } from 'kysely'

const files = readdirSync(import.meta.dirname).filter((name) => /^\d{4}-[\w-]+\.[jt]s$/.test(name))

/** All migrations of this folder by name, in order. Forward only: add at the end, never edit a released one. */
export const migrations: Readonly<Record<string, Migration>> = Object.fromEntries(
  await Promise.all(files.sort().map(async (name) => [name.slice(0, -3), await migrationIn(name)])),
)

/** Each file exports nothing else. */
async function migrationIn(name: string): Promise<Migration> {
  const file = new URL(name, import.meta.url).href
  const [migration] = Object.values<Migration>(await import(file))
  if (!migration) throw new Error(`${name} has no migration`)
  return migration
}
