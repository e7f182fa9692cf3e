/**
 * Caches which topics have readers, and the organization of each group. Both are refreshed periodically; a batch keeps the
 * snapshot it started with. Must not know what a message contains, nor who publishes it.
 */
import type { GroupStore } from '../accounts/group-store.js'
import type { DomainStore } from '../domains/domain-store.js'
import { DomainNames } from '../domains/domains.js'
import { isOfLinks, type WantedTopics, type WantedTopicsDeps, wantedTopics } from './access.js'
import type { StreamStore } from './stream-store.js'

export interface SubscriptionDeps extends WantedTopicsDeps {
  readonly groups: GroupStore
  readonly streamStore: Pick<StreamStore, 'allowedReaders'>
  /** Default: those that somebody may read. */
  readonly wanted?: (() => Promise<WantedTopics>) | undefined
}

/** The snapshot for one batch. A refresh does not change it, so a batch is never published by half. */
export interface Readers {
  wants(topic: string): boolean
  /** Undefined for a group that does not exist, and for a global hash. */
  organizationOf(groupGuid: string): string | undefined
}

export class Subscriptions {
  readonly #deps: SubscriptionDeps
  /** Undefined until loaded; publishing before that would lose messages. */
  #wanted: WantedTopics | undefined
  #watched: ReadonlySet<string> = new Set()
  #organizations = new Map<string, string>()

  constructor(deps: SubscriptionDeps) {
    this.#deps = deps
  }

  /** Call it periodically, and after every change of access. */
  async refresh(): Promise<void> {
    this.#wanted = await (this.#deps.wanted?.() ?? wantedTopics(this.#deps))
    // A group may have moved to another organization. Replace the map: a batch may still use the former one.
    this.#organizations = new Map()
  }

  /** Await this before any other call. */
  async known(): Promise<void> {
    if (!this.#wanted) await this.refresh()
  }

  /** Topics that an operator watches; they are published even without readers. */
  watch(topics: ReadonlySet<string>): void {
    this.#watched = topics
  }

  get isEmpty(): boolean {
    return this.#wanted?.topics.size === 0 && this.#watched.size === 0
  }

  get wantsLinks(): boolean {
    return [...(this.#wanted?.topics ?? []), ...this.#watched].some(isOfLinks)
  }

  /** When the first reader was allowed; undefined without readers. */
  get since(): number | undefined {
    return this.#wanted?.since
  }

  /** A snapshot for one batch; pass the groups of the whole batch. */
  async readersOf(groupGuids: readonly string[]): Promise<Readers> {
    await this.known()
    const topics = this.#wanted?.topics
    const watched = this.#watched
    const organizations = this.#organizations
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

/** Caches the current names of built-in domains for stream messages. */
export class CurrentDomainNames {
  readonly #deps: { readonly domainStore: Pick<DomainStore, 'listBuiltIn'> }
  #names: DomainNames | undefined

  constructor(deps: { readonly domainStore: Pick<DomainStore, 'listBuiltIn'> }) {
    this.#deps = deps
  }

  async known(): Promise<DomainNames> {
    return this.#names ?? this.refresh()
  }

  /** Call it periodically. */
  async refresh(): Promise<DomainNames> {
    this.#names = new DomainNames(await this.#deps.domainStore.listBuiltIn())
    return this.#names
  }
}
