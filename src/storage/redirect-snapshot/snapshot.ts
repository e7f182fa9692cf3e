/**
 * A small snapshot of what redirects need: domains and recently used links, as JSON in the data directory. Read only
 * when the service starts while the database is unreachable. Replaced as a whole; mode 0600.
 */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrandedDomain, BuiltInDomain, DomainStore } from '../../core/domains/domain-store.js'
import type { Target } from '../../core/links/link.js'
import type { RedirectCache } from '../../core/links/redirect-cache.js'
import type { Clock } from '../../core/values/time.js'
import type { Closable } from '../../lib/closing.js'
import { PeriodicTask } from '../../lib/periodic-task.js'

export interface RedirectSnapshot {
  /** Epoch milliseconds. */
  readonly writtenAt: number
  readonly builtIn: readonly BuiltInDomain[]
  readonly branded: readonly BrandedDomain[]
  readonly targets: readonly Target[]
}

async function writeRedirectSnapshot(dataDir: string, cache: RedirectSnapshot): Promise<void> {
  const file = fileIn(dataDir)
  // Written to a temporary file and renamed: a crash leaves the previous snapshot.
  await writeFile(`${file}.new`, JSON.stringify(cache), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** Undefined when it is missing or unreadable: then nothing can be served without the database. */
export async function readRedirectSnapshot(dataDir: string): Promise<RedirectSnapshot | undefined> {
  try {
    return JSON.parse(await readFile(fileIn(dataDir), 'utf8')) as RedirectSnapshot
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'redirect-cache.json')
}

export interface SnapshotWriterDeps {
  readonly redirectCache: RedirectCache
  readonly domainStore: DomainStore
  readonly clock: Clock
  readonly onFailure: (error: unknown) => void
}

const interval = 60_000
/** About two megabytes, and ten milliseconds of the HTTP thread per minute. */
const maxLinks = 5000

export class RedirectSnapshotWriter implements Closable {
  readonly #deps: SnapshotWriterDeps
  readonly #dataDir: string
  readonly #writing = new PeriodicTask(interval, () => this.#write())

  constructor(deps: SnapshotWriterDeps, dataDir: string) {
    this.#deps = deps
    this.#dataDir = dataDir
  }

  async close(): Promise<void> {
    await this.#writing.close()
    await this.#write()
  }

  /** Never rejects: the previous snapshot stays. While the database is unreachable there is nothing newer to write. */
  async #write(): Promise<void> {
    const { redirectCache, domainStore, clock, onFailure } = this.#deps
    try {
      const recent = redirectCache.recent(maxLinks)
      if (recent.length === 0) return
      const [builtIn, branded] = await Promise.all([domainStore.listBuiltIn(), domainStore.list(undefined)])
      await writeRedirectSnapshot(this.#dataDir, { writtenAt: clock.now(), builtIn, branded, targets: recent })
    } catch (error) {
      onFailure(error)
    }
  }
}
