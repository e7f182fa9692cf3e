/**
 * Where clicks become messages: finds out whose link was clicked and writes a message for each topic that somebody may
 * read. It must not know who publishes them: the endpoint in this process, or daemons on other machines.
 */
import { RecentMap } from '../../lib/recent-map.js'
import type { Click } from '../clicks/click.js'
import type { GroupStore } from '../groups/group-store.js'
import { type WantedTopicsParts, wantedTopics } from './access.js'
import { clickMessage } from './click-message.js'
import { organizationClicks, serviceClicks } from './topics.js'

export interface ClickMessageParts extends WantedTopicsParts {
  readonly linkFacts: LinkFactStore
  readonly groups: Pick<GroupStore, 'organizations' | 'groups'>
}

/** What is told about a link beside its clicks. */
export interface LinkFactStore {
  /** Of those addresses that exist. */
  about(addresses: readonly string[]): Promise<ReadonlyMap<string, LinkFacts>>
}

export interface LinkFacts {
  readonly login: string
  readonly createdAt: number
  /** The address of the global hash of its long URL, when there is one. */
  readonly globalHash: string | undefined
}

export type Batch = readonly [topic: string, messages: readonly Buffer[]]

/** Our choice: about 10 MB. Links that are clicked much are asked for once. */
const mostLinks = 50_000

export class ClickMessages {
  readonly #parts: ClickMessageParts
  /** By link id, or by address for a global hash. `undefined` is not kept: such a link may exist a moment later. */
  readonly #facts = new RecentMap<string, LinkFacts>(mostLinks)
  #organizations = new Map<string, string>()
  /** Undefined until it is known: to publish nothing then would be to lose it. */
  #wanted: ReadonlySet<string> | undefined
  #alsoWanted: ReadonlySet<string> = new Set()

  constructor(parts: ClickMessageParts) {
    this.#parts = parts
  }

  /** To be called now and then, and whenever it is known that something has changed. */
  async refresh(): Promise<void> {
    this.#wanted = await wantedTopics(this.#parts)
    // A group may have moved.
    this.#organizations = new Map()
  }

  /** Topics that are published whoever may read them: an operator is watching. */
  alsoPublish(topics: ReadonlySet<string>): void {
    this.#alsoWanted = topics
  }

  async batchesOf(clicks: readonly Click[]): Promise<readonly Batch[]> {
    if (!this.#wanted) await this.refresh()
    const nobody = this.#wanted?.size === 0 && this.#alsoWanted.size === 0
    if (nobody || clicks.length === 0) return []
    await this.#learnOrganizations(clicks)
    const everything = this.#isWanted(serviceClicks)
    const wanted = everything ? clicks : clicks.filter((click) => this.#isWanted(this.#ownTopic(click)))
    await this.#learnFacts(wanted)
    const batches = new Map<string, Buffer[]>()
    for (const click of wanted) {
      const organizationGuid = this.#organizations.get(click.groupGuid) ?? ''
      const facts = this.#facts.get(factKey(click))
      const message = clickMessage(click, organizationGuid, facts)
      const own = this.#ownTopic(click)
      if (everything) add(batches, serviceClicks, message)
      if (this.#isWanted(own)) add(batches, own, message)
    }
    return [...batches]
  }

  /** Empty for a global hash, which belongs to nobody: that is no topic anybody may read. */
  #ownTopic(click: Click): string {
    const organizationGuid = this.#organizations.get(click.groupGuid)
    return organizationGuid === undefined ? '' : organizationClicks(organizationGuid)
  }

  #isWanted(topic: string): boolean {
    return this.#wanted?.has(topic) || this.#alsoWanted.has(topic)
  }

  async #learnOrganizations(clicks: readonly Click[]): Promise<void> {
    const unknown = new Set<string>()
    for (const { groupGuid } of clicks) {
      if (groupGuid !== '' && !this.#organizations.has(groupGuid)) unknown.add(groupGuid)
    }
    if (unknown.size === 0) return
    const found = await this.#parts.groups.groups([...unknown])
    for (const { guid, organizationGuid } of found) this.#organizations.set(guid, organizationGuid)
  }

  async #learnFacts(clicks: readonly Click[]): Promise<void> {
    const unknown = new Set<string>()
    for (const click of clicks) {
      const key = factKey(click)
      if (!this.#facts.get(key)) unknown.add(key)
    }
    if (unknown.size === 0) return
    for (const [key, facts] of await this.#parts.linkFacts.about([...unknown])) this.#facts.set(key, facts)
  }
}

function factKey({ linkId, address }: Click): string {
  return linkId === '' ? address : linkId
}

function add(batches: Map<string, Buffer[]>, topic: string, message: Buffer): void {
  const messages = batches.get(topic)
  if (messages) messages.push(message)
  else batches.set(topic, [message])
}
