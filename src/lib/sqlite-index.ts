import { accessSync, constants } from 'node:fs'

/**
 * Throws if SQLite could not write its WAL index. SQLite maps it into memory and writes there first: where the file has
 * become immutable or its disk read-only, the system would end the process (SIGBUS).
 */
export function requireWritableIndex(database: string): void {
  try {
    accessSync(`${database}-shm`, constants.W_OK)
  } catch (error) {
    // It is made with the first read.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** After each commit: the first read then writes to the index too, so it is done while that is possible. */
export function settleIndex(read: () => unknown): void {
  try {
    read()
  } catch {
    // The commit is done. The next read tells its caller.
  }
}
