/**
 * Where clicks become messages: finds out whose link was clicked and writes a message for each topic that somebody may
 * read. It must not know who publishes them: the endpoint in this process, or daemons on other machines.
 */
import { RecentMap } from '../../lib/recent-map.js'
import type { Click } from '../clicks/click.js'
import type { Audience } from './audience.js'
import { type Batch, Batches } from './batches.js'
import { clickMessage, type LinkFacts } from './click-message.js'
import { organizationClicks, serviceClicks } from './topics.js'

export interface ClickMessageParts {
  readonly linkFacts: LinkFactStore
  readonly audience: Audience
}

export interface LinkFactStore {
  /** Of those addresses that exist. */
  about(addresses: readonly string[]): Promise<ReadonlyMap<string, LinkFacts>>
}

/** Our choice: about 10 MB. Links that are clicked much are asked for once. */
const mostLinks = 50_000

export class ClickMessages {
  readonly #parts: ClickMessageParts
  /** By link id, or by address for a global hash. `undefined` is not kept: such a link may exist a moment later. */
  readonly #facts = new RecentMap<string, LinkFacts>(mostLinks)

  constructor(parts: ClickMessageParts) {
    this.#parts = parts
  }

  async batchesOf(clicks: readonly Click[]): Promise<readonly Batch[]> {
    const { audience } = this.#parts
    await audience.known()
    if (audience.isEmpty || clicks.length === 0) return []
    await audience.learn(clicks.map(({ groupGuid }) => groupGuid))
    const everything = audience.wants(serviceClicks)
    const wanted = everything ? clicks : clicks.filter((click) => audience.wants(this.#ownTopic(click)))
    await this.#learnFacts(wanted)
    const batches = new Batches()
    for (const click of wanted) {
      const organizationGuid = audience.organizationOf(click.groupGuid) ?? ''
      const message = clickMessage(click, organizationGuid, this.#facts.get(factKey(click)))
      const own = this.#ownTopic(click)
      if (everything) batches.add(serviceClicks, message)
      if (audience.wants(own)) batches.add(own, message)
    }
    return batches.all
  }

  /** Empty for a global hash, which belongs to nobody: that is no topic anybody may read. */
  #ownTopic({ groupGuid }: Click): string {
    const organizationGuid = this.#parts.audience.organizationOf(groupGuid)
    return organizationGuid === undefined ? '' : organizationClicks(organizationGuid)
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
