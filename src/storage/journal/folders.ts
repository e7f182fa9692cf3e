/**
 * The journals of a data directory: `journal` is that of the main process, and `journal-2` and so on are those of other
 * processes that answer redirects, now or formerly.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

export function journalFolder(dataDir: string, number = 1): string {
  return join(dataDir, number === 1 ? 'journal' : `journal-${number}`)
}

/** Numbers of the journals that exist beside that of the main process. */
export function otherJournals(dataDir: string): readonly number[] {
  const numbers = namesIn(dataDir).flatMap((name) => /^journal-([1-9]\d{0,3})$/.exec(name)?.[1] ?? [])
  return numbers
    .map(Number)
    .filter((number) => number > 1)
    .sort((one, other) => one - other)
}

/** That of the main process is the first, whether it exists or not. */
export function journalFolders(dataDir: string): readonly string[] {
  return [1, ...otherJournals(dataDir)].map((number) => journalFolder(dataDir, number))
}

function namesIn(dataDir: string): readonly string[] {
  try {
    return readdirSync(dataDir)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return []
  }
}
