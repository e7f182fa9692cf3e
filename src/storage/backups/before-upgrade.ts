/** Keeps the records as they were before an upgrade, so that the operator can go back to the version before. */
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../lib/operator-error.js'
import { recordsFile } from '../sql/records-file.js'
import { copySqlite } from './copy-sqlite.js'

/** One for each upgrade. */
const kept = 3

/** `migration` is the first one that will run. Returns the path of the copy. */
export function copyBeforeUpgrade(dataDir: string, migration: string): string {
  const folder = join(dataDir, 'before-upgrade')
  const copy = join(folder, `records-before-${migration}.sqlite`)
  const unfinished = `${copy}.unfinished`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    rmSync(unfinished, { force: true })
    copySqlite(recordsFile(dataDir), unfinished)
    chmodSync(unfinished, 0o600)
    renameSync(unfinished, copy)
  } catch (error) {
    rmSync(unfinished, { force: true })
    if (error instanceof OperatorError) throw error
    throw new OperatorError(
      `Cannot copy the records before the upgrade to ${copy} (${(error as Error).message}). Nothing was changed. ` +
        'Usually the disk is full: the copy needs as much space as records.sqlite.',
    )
  }
  // The names are in the order of migrations.
  const copies = readdirSync(folder)
    .filter((name) => /^records-before-.*\.sqlite$/.test(name))
    .sort()
  for (const old of copies.slice(0, -kept)) rmSync(join(folder, old))
  return copy
}
