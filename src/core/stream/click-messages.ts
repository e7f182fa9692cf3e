/**
 * Converts clicks to messages: looks up the organization and writes a message for each topic with readers. Must not know
 * who publishes them: the endpoint in this process, or daemons on other machines.
 */
import { RecentMap } from '../../lib/recent-map.js'
import type { Click } from '../clicks/click.js'
import type { ClickSink } from '../clicks/click-log.js'
import type { JournalPosition } from '../clicks/journal.js'
import { organizationClicks, serviceClicks } from './access.js'
import { type Batch, Batches, clickMessage } from './messages.js'
import type { LinkFacts, StreamStore } from './stream-store.js'
import type { CurrentDomainNames, Readers, Subscriptions } from './subscriptions.js'

export interface ClickMessageDeps {
  readonly streamStore: Pick<StreamStore, 'linkFacts'>
  readonly subscriptions: Subscriptions
  readonly names: CurrentDomainNames
}

/** About 10 MB. Popular links are read from the store once. */
const maxCachedLinks = 50_000

export class ClickMessages {
  readonly #deps: ClickMessageDeps
  /** By link id, or by address for a global hash. Unknown links are not cached: they may exist a moment later. */
  readonly #facts = new RecentMap<string, LinkFacts>(maxCachedLinks)

  constructor(deps: ClickMessageDeps) {
    this.#deps = deps
  }

  /** Views of sites are no clicks on links. */
  async batchesOf(visits: readonly Click[]): Promise<readonly Batch[]> {
    const { subscriptions } = this.#deps
    await subscriptions.known()
    if (subscriptions.isEmpty) return []
    const clicks = visits.filter(({ kind }) => kind !== 'view')
    if (clicks.length === 0) return []
    const readers = await subscriptions.readersOf(clicks.map(({ groupGuid }) => groupGuid))
    const toService = readers.wants(serviceClicks)
    const wanted = toService ? clicks : clicks.filter((click) => readers.wants(organizationTopic(click, readers)))
    const facts = await this.#factsOf(wanted)
    const names = await this.#deps.names.known()
    const batches = new Batches()
    for (const click of wanted) {
      const organizationGuid = readers.organizationOf(click.groupGuid) ?? ''
      const message = clickMessage(click, organizationGuid, facts.get(factKey(click)), names)
      const topic = organizationTopic(click, readers)
      if (toService) batches.add(serviceClicks, message)
      if (readers.wants(topic)) batches.add(topic, message)
    }
    return batches.all
  }

  /** Returns all facts of the batch, even if the cache evicts some in the meantime. */
  async #factsOf(clicks: readonly Click[]): Promise<ReadonlyMap<string, LinkFacts>> {
    const found = new Map<string, LinkFacts>()
    const unknown = new Set<string>()
    for (const click of clicks) {
      const key = factKey(click)
      const known = this.#facts.get(key)
      if (known) found.set(key, known)
      else unknown.add(key)
    }
    if (unknown.size === 0) return found
    for (const [key, facts] of await this.#deps.streamStore.linkFacts([...unknown])) {
      this.#facts.set(key, facts)
      found.set(key, facts)
    }
    return found
  }
}

/** Empty for a global hash, which has no organization; nobody may read the empty topic. */
function organizationTopic({ groupGuid }: Click, readers: Readers): string {
  const organizationGuid = readers.organizationOf(groupGuid)
  return organizationGuid === undefined ? '' : organizationClicks(organizationGuid)
}

function factKey({ linkId, address }: Click): string {
  return linkId === '' ? address : linkId
}

/** Publishes in this process, or to daemons on other machines. */
export interface Publisher {
  /** The last published journal row; 0 before the first. */
  position(journalId: string): Promise<number>
  /** Resolves when all messages and the position are persisted. */
  publish(batches: readonly Batch[], upTo: JournalPosition): Promise<void>
}

/** Delivers clicks to the stream. */
export class StreamSink implements ClickSink {
  readonly #messages: Pick<ClickMessages, 'batchesOf'>
  readonly #publisher: Publisher

  constructor(messages: Pick<ClickMessages, 'batchesOf'>, publisher: Publisher) {
    this.#messages = messages
    this.#publisher = publisher
  }

  cursor(journalId: string): Promise<number> {
    return this.#publisher.position(journalId)
  }

  async append(clicks: readonly Click[], upTo: JournalPosition): Promise<void> {
    await this.#publisher.publish(await this.#messages.batchesOf(clicks), upTo)
  }
}
