/**
 * For whom the stream is written at the moment: which topics somebody may read, and whose group is whose. Both are
 * remembered and read again now and then. It must not know what a message says, nor who publishes it.
 */
import type { GroupStore } from '../groups/group-store.js'
import { type Wanted, type WantedTopicsParts, wantedTopics } from './access.js'
import { isOfLinks } from './topics.js'

export interface AudienceParts extends WantedTopicsParts {
  readonly groups: Pick<GroupStore, 'organizations' | 'groups'>
}

export class Audience {
  readonly #parts: AudienceParts
  /** Undefined until it is known: to publish nothing then would be to lose it. */
  #wanted: Wanted | undefined
  #watched: ReadonlySet<string> = new Set()
  #organizations = new Map<string, string>()

  constructor(parts: AudienceParts) {
    this.#parts = parts
  }

  /** To be called now and then, and whenever it is known that something has changed. */
  async refresh(): Promise<void> {
    this.#wanted = await wantedTopics(this.#parts)
    // A group may have moved.
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

  wants(topic: string): boolean {
    return this.#wanted?.topics.has(topic) || this.#watched.has(topic)
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

  /** To be awaited for groups before their organizations are asked for. */
  async learn(groupGuids: readonly string[]): Promise<void> {
    const unknown = new Set(groupGuids.filter((guid) => guid !== '' && !this.#organizations.has(guid)))
    if (unknown.size === 0) return
    const found = await this.#parts.groups.groups([...unknown])
    for (const { guid, organizationGuid } of found) this.#organizations.set(guid, organizationGuid)
  }

  /** Undefined for a group that does not exist, and for what belongs to nobody. */
  organizationOf(groupGuid: string): string | undefined {
    return this.#organizations.get(groupGuid)
  }
}
