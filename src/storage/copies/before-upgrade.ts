/** Keeps the records as they were before an upgrade, so that the operator can go back to the version before. */
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../lib/operator-error.js'
import { recordsFile } from '../sql/records-file.js'
import { copySqlite } from './copy-sqlite.js'

/** One for each upgrade. */
const kept = 3

/** `migration` is the first one that will run. Returns the path of the copy; the time in it keeps those of earlier upgrades. */
export function copyBeforeUpgrade(dataDir: string, migration: string, now = Date.now()): string {
  const folder = join(dataDir, 'before-upgrade')
  const time = new Date(now).toISOString().replaceAll(':', '')
  const copy = join(folder, `records-${time}-before-${migration}.sqlite`)
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
  for (const old of copiesIn(folder).slice(0, -kept)) rmSync(join(folder, old.name))
  return copy
}

/** Shell commands that go back to the newest copy from before this migration, or undefined if there is none. */
export function wayBack(dataDir: string, migration: string): string | undefined {
  const folder = join(dataDir, 'before-upgrade')
  const copy = existsSync(folder) ? copiesIn(folder).findLast(({ before }) => before <= migration) : undefined
  if (!copy) return undefined
  const file = recordsFile(dataDir)
  return `cp "${join(folder, copy.name)}" "${file}" && rm -f "${file}-wal" "${file}-shm"`
}

/** Oldest first. Names of version 1.0.0 have no time. */
function copiesIn(folder: string): readonly { name: string; before: string; at: string }[] {
  const copies = readdirSync(folder).flatMap((name) => {
    const [, at = '', before] = /^records-(?:(\d.*Z)-)?before-(.*)\.sqlite$/.exec(name) ?? []
    return before === undefined ? [] : [{ name, before, at }]
  })
  return copies.sort((a, b) => (`${a.at} ${a.before}` < `${b.at} ${b.before}` ? -1 : 1))
}
