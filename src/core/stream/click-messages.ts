/**
 * Where clicks become messages: finds out whose link was clicked and writes a message for each topic that somebody may
 * read. It must not know who publishes them: the endpoint in this process, or daemons on other machines.
 */
import { RecentMap } from '../../lib/recent-map.js'
import type { Click } from '../clicks/click.js'
import { type Batch, Batches } from './batches.js'
import { clickMessage, type LinkFacts } from './click-message.js'
import type { NamesInUse } from './names-in-use.js'
import type { StreamStore } from './stream-store.js'
import type { Readers, Subscriptions } from './subscriptions.js'
import { organizationClicks, serviceClicks } from './topics.js'

export interface ClickMessageDeps {
  readonly streamStore: Pick<StreamStore, 'linkFacts'>
  readonly subscriptions: Subscriptions
  readonly names: NamesInUse
}

/** Our choice: about 10 MB. Links that are clicked much are asked for once. */
const mostLinks = 50_000

export class ClickMessages {
  readonly #deps: ClickMessageDeps
  /** By link id, or by address for a global hash. `undefined` is not kept: such a link may exist a moment later. */
  readonly #facts = new RecentMap<string, LinkFacts>(mostLinks)

  constructor(deps: ClickMessageDeps) {
    this.#deps = deps
  }

  async batchesOf(clicks: readonly Click[]): Promise<readonly Batch[]> {
    const { subscriptions } = this.#deps
    await subscriptions.known()
    if (subscriptions.isEmpty || clicks.length === 0) return []
    const readers = await subscriptions.readersOf(clicks.map(({ groupGuid }) => groupGuid))
    const everything = readers.wants(serviceClicks)
    const wanted = everything ? clicks : clicks.filter((click) => readers.wants(ownTopic(click, readers)))
    const facts = await this.#factsOf(wanted)
    const names = await this.#deps.names.known()
    const batches = new Batches()
    for (const click of wanted) {
      const organizationGuid = readers.organizationOf(click.groupGuid) ?? ''
      const message = clickMessage(click, organizationGuid, facts.get(factKey(click)), names)
      const own = ownTopic(click, readers)
      if (everything) batches.add(serviceClicks, message)
      if (readers.wants(own)) batches.add(own, message)
    }
    return batches.all
  }

  /** Those of this batch, whatever others push out meanwhile. */
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

/** Empty for a global hash, which belongs to nobody: that is no topic anybody may read. */
function ownTopic({ groupGuid }: Click, readers: Readers): string {
  const organizationGuid = readers.organizationOf(groupGuid)
  return organizationGuid === undefined ? '' : organizationClicks(organizationGuid)
}

function factKey({ linkId, address }: Click): string {
  return linkId === '' ? address : linkId
}
