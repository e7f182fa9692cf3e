/** Writes the redirect snapshot once a minute, and when the service stops. */
import type { DomainStore } from '../../core/domains/domain-store.js'
import type { RedirectCache } from '../../core/links/redirect-cache.js'
import type { Clock } from '../../core/values/time.js'
import type { Closable } from '../../lib/closing.js'
import { writeRedirectSnapshot } from './snapshot-file.js'

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
  readonly #timer: NodeJS.Timeout

  constructor(deps: SnapshotWriterDeps, dataDir: string) {
    this.#deps = deps
    this.#dataDir = dataDir
    this.#timer = setInterval(() => void this.#write(), interval).unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
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
