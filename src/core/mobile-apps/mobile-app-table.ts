/**
 * All mobile applications in memory, for deep links at redirect time and for the association files of domains. They are
 * few. Read when somebody first asks, again after a change in this process, and after a while for changes made elsewhere.
 */
import type { Clock } from '../values/clock.js'
import type { MobileApp } from './mobile-app.js'
import type { MobileAppStore } from './mobile-app-store.js'

export interface MobileAppTableDeps {
  readonly mobileApps: Pick<MobileAppStore, 'list'>
  readonly clock: Clock
}

export interface KnownMobileApps {
  readonly byGuid: ReadonlyMap<string, MobileApp>
  /** Of one organization, oldest first; without one those that the operator allowed, of all of them. */
  of(organizationGuid: string | undefined): readonly MobileApp[]
}

// Our choice: an application registered by another process is known here after this long.
const maxAge = 10_000

export class MobileAppTable {
  readonly #deps: MobileAppTableDeps
  #question: { readonly answer: Promise<KnownMobileApps>; readonly until: number } | undefined
  #lastRead: KnownMobileApps | undefined

  constructor(deps: MobileAppTableDeps) {
    this.#deps = deps
  }

  known(): Promise<KnownMobileApps> {
    const now = this.#deps.clock.now()
    if (this.#question && this.#question.until > now) return this.#question.answer
    const question = { answer: this.#read(), until: now + maxAge }
    this.#question = question
    // A store that was away is asked again by the next visitor; this one hears of the failure.
    question.answer.catch(() => {
      if (this.#question === question) this.#question = undefined
    })
    return question.answer
  }

  forget(): void {
    this.#question = undefined
  }

  /** While the store is away, what was read before goes on. */
  async #read(): Promise<KnownMobileApps> {
    try {
      this.#lastRead = knownApps(await this.#deps.mobileApps.list(undefined))
    } catch (error) {
      if (this.#lastRead === undefined) throw error
    }
    return this.#lastRead
  }
}

function knownApps(all: readonly MobileApp[]): KnownMobileApps {
  return {
    byGuid: new Map(all.map((app) => [app.guid, app])),
    of: (organizationGuid) =>
      all.filter((app) => (organizationGuid === undefined ? app.isAllowed : app.organizationGuid === organizationGuid)),
  }
}
