import { readlinkSync } from 'node:fs'
import { readlink } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { basename } from 'node:path'

/**
 * Gives redirects priority: on Linux every thread has its own nice value, so this thread and the thread pool, which
 * runs the click log's queries, yield to the main thread. The main thread uses the pool for password hashes, DNS and
 * files, which can wait too; redirects never use it.
 */
export async function lowerPriority(): Promise<void> {
  try {
    lower(readlinkSync(self))
    for (const thread of await poolThreads()) lower(thread)
  } catch {
    // Other systems have no /proc/thread-self, and a sandbox may forbid it. Optional: nothing depends on it.
  }
}

const self = '/proc/thread-self'

function lower(link: string): void {
  setPriority(Number(basename(link)), 10)
}

/** An asynchronous readlink runs in a thread of the pool and returns that thread; several calls find them all. */
async function poolThreads(): Promise<Iterable<string>> {
  const size = Number(process.env.UV_THREADPOOL_SIZE ?? 4)
  const found = new Set<string>()
  for (let attempt = 0; attempt < 50 && found.size < size; attempt++) {
    for (const link of await Promise.all(Array.from({ length: 4 * size }, () => readlink(self)))) found.add(link)
  }
  return found
}
