import { readlinkSync } from 'node:fs'
import { readlink } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { basename } from 'node:path'

/**
 * Lets redirects go first: Linux gives every thread a priority of its own, so this thread and the pool whose threads run
 * the click log's queries step back when a core is wanted by both. The main thread uses the pool for password hashes,
 * DNS and files, which can wait as well; answering redirects never does.
 */
export async function lowerPriority(): Promise<void> {
  try {
    lower(readlinkSync(self))
    for (const thread of await poolThreads()) lower(thread)
  } catch {
    // Other systems have no /proc/thread-self, and a sandbox may forbid it. It is a courtesy; nothing depends on it.
  }
}

const self = '/proc/thread-self'

function lower(link: string): void {
  setPriority(Number(basename(link)), 10)
}

/** An asynchronous look at the link is taken by a thread of the pool, which finds itself; some looks find them all. */
async function poolThreads(): Promise<Iterable<string>> {
  const size = Number(process.env.UV_THREADPOOL_SIZE ?? 4)
  const found = new Set<string>()
  for (let attempt = 0; attempt < 50 && found.size < size; attempt++) {
    for (const link of await Promise.all(Array.from({ length: 4 * size }, () => readlink(self)))) found.add(link)
  }
  return found
}
