/**
 * For whom the stream is written at the moment: which topics somebody may read, and whose group is whose. Both are
 * remembered and read again now and then, also while a batch waits for something else: what a batch was told stays its
 * own. It must not know what a message says, nor who publishes it.
 */
import type { GroupStore } from '../accounts/group-store.js'
import { type Wanted, type WantedTopicsDeps, wantedTopics } from './access.js'
import { isOfLinks } from './topics.js'

export interface SubscriptionDeps extends WantedTopicsDeps {
  readonly groups: GroupStore
}

/** For whom one batch is written. Nothing that is read again meanwhile changes it: half of it would be lost. */
export interface Readers {
  wants(topic: string): boolean
  /** Undefined for a group that does not exist, and for what belongs to nobody. */
  organizationOf(groupGuid: string): string | undefined
}

export class Subscriptions {
  readonly #deps: SubscriptionDeps
  /** Undefined until it is known: to publish nothing then would be to lose it. */
  #wanted: Wanted | undefined
  #watched: ReadonlySet<string> = new Set()
  #organizations = new Map<string, string>()

  constructor(deps: SubscriptionDeps) {
    this.#deps = deps
  }

  /** To be called now and then, and whenever it is known that something has changed. */
  async refresh(): Promise<void> {
    this.#wanted = await wantedTopics(this.#deps)
    // A group may have moved. A new one: the one before may be in use.
    this.#organizations = new Map()
  }

  /** To be awaited before anything is asked. */
  async known(): Promise<void> {
    if (!this.#wanted) await this.refresh()
  }

  /** Topics that are published whoever may read them: an operator is watching. */
  watch(topics: ReadonlySet<string>): void {
    this.#watched = topics
  }

  get isEmpty(): boolean {
    return this.#wanted?.topics.size === 0 && this.#watched.size === 0
  }

  get wantsLinks(): boolean {
    return [...(this.#wanted?.topics ?? []), ...this.#watched].some(isOfLinks)
  }

  /** Since when somebody may read; undefined when nobody may, though an operator may be watching. */
  get since(): number | undefined {
    return this.#wanted?.since
  }

  /** As things are now; to be asked once for each batch, with the groups of all that is in it. */
  async readersOf(groupGuids: readonly string[]): Promise<Readers> {
    await this.known()
    const [topics, watched, organizations] = [this.#wanted?.topics, this.#watched, this.#organizations]
    const unknown = new Set(groupGuids.filter((guid) => guid !== '' && !organizations.has(guid)))
    if (unknown.size > 0) {
      const found = await this.#deps.groups.groups([...unknown])
      for (const { guid, organizationGuid } of found) organizations.set(guid, organizationGuid)
    }
    return {
      wants: (topic) => topics?.has(topic) || watched.has(topic),
      organizationOf: (groupGuid) => organizations.get(groupGuid),
    }
  }
}
