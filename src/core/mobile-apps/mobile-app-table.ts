/**
 * Caches all mobile apps in memory, for deep links on the redirect path and for association files. There are few. Loaded
 * on first use, again after a change in this process, and after `maxAge` to pick up changes by other processes.
 */
import type { Clock } from '../values/time.js'
import type { MobileApp, MobileAppStore } from './mobile-app-store.js'

export interface MobileAppTableDeps {
  readonly mobileApps: Pick<MobileAppStore, 'list'>
  readonly clock: Clock
  /** Called when they have changed. */
  readonly onForget?: () => void
}

export interface KnownMobileApps {
  readonly byGuid: ReadonlyMap<string, MobileApp>
  /** The apps of one organization, oldest first; without an organization, all apps that the operator allowed. */
  of(organizationGuid: string | undefined): readonly MobileApp[]
}

// Maximum delay until a change by another process takes effect here.
const maxAge = 10_000

export class MobileAppTable {
  readonly #deps: MobileAppTableDeps
  #load: { readonly apps: Promise<KnownMobileApps>; readonly until: number } | undefined
  #lastRead: KnownMobileApps | undefined

  constructor(deps: MobileAppTableDeps) {
    this.#deps = deps
  }

  known(): Promise<KnownMobileApps> {
    const now = this.#deps.clock.now()
    if (this.#load && this.#load.until > now) return this.#load.apps
    const load = { apps: this.#read(), until: now + maxAge }
    this.#load = load
    // After a failure the next caller reads again; this caller gets the error.
    load.apps.catch(() => {
      if (this.#load === load) this.#load = undefined
    })
    return load.apps
  }

  forget(): void {
    this.#load = undefined
    this.#deps.onForget?.()
  }

  /** Keeps the last result while the store is unavailable. */
  async #read(): Promise<KnownMobileApps> {
    try {
      this.#lastRead = indexApps(await this.#deps.mobileApps.list(undefined))
    } catch (error) {
      if (this.#lastRead === undefined) throw error
    }
    return this.#lastRead
  }
}

function indexApps(all: readonly MobileApp[]): KnownMobileApps {
  return {
    byGuid: new Map(all.map((app) => [app.guid, app])),
    of: (organizationGuid) =>
      all.filter((app) => (organizationGuid === undefined ? app.isAllowed : app.organizationGuid === organizationGuid)),
  }
}
