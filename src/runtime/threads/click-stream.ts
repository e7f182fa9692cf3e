/**
 * What the click thread publishes, with a connection to the records of its own: builds messages about clicks and new
 * links, and sends them to the stream thread, to external nsqd daemons if configured, or to the queues of webhooks.
 */
import type { MessagePort } from 'node:worker_threads'
import type { LinkFollowerStatus } from '../../core/clicks/deliver.js'
import type { JournalPosition } from '../../core/clicks/journal.js'
import { ClickMessages, StreamSink } from '../../core/stream/click-messages.js'
import { type LeasedCursor, LinkFollower } from '../../core/stream/link-follower.js'
import type { Batch } from '../../core/stream/messages.js'
import { CurrentDomainNames, Subscriptions } from '../../core/stream/subscriptions.js'
import { systemClock } from '../../core/values/time.js'
import { EventQueue, type EventQueueDeps } from '../../core/webhooks/event-queue.js'
import { Closing } from '../../lib/closing.js'
import type { Warn } from '../../lib/logger.js'
import { openNsqdPublisher, type PublisherConfig } from '../../storage/nsqd/open-publisher.js'
import type { NsqdPublisher } from '../../storage/nsqd/publisher.js'
import type { Records } from '../../storage/records/records.js'
import type { RecordsPlace } from '../stores/open-records.js'
import { StreamFeed } from './stream-feed.js'
import { FollowedLinks, holderAt, ownCursor, sharedCursor, webhookLinks } from './stream-links.js'

export interface ClickStreamOptions {
  readonly records: RecordsPlace
  /** External nsqd daemons; undefined: the stream thread. */
  readonly daemons: PublisherConfig | undefined
}

/** How long until this process sees readers and webhooks that another process changed. */
const refreshEvery = 5_000

export class ClickStream {
  readonly sink: StreamSink
  readonly #subscriptions: Subscriptions
  readonly #publisher: StreamFeed | NsqdPublisher | EventQueue
  readonly #links: FollowedLinks
  readonly #closing: Closing
  readonly #timer: NodeJS.Timeout

  static open({ records: place, daemons }: ClickStreamOptions, warn: Warn): Promise<ClickStream> {
    return ClickStream.#open(place, warn, (records, closing) => {
      const publisher = closing.add(daemons ? openNsqdPublisher(daemons, systemClock, warn) : new StreamFeed())
      const isOwn = publisher instanceof StreamFeed || place.databaseUrl === undefined
      const cursor = isOwn ? ownCursor(publisher) : sharedCursor(records.streamStore, holderAt(place), systemClock)
      return { publisher, cursor }
    })
  }

  static openWebhooks(
    place: RecordsPlace,
    given: Pick<EventQueueDeps, 'begin' | 'onQueued'>,
    warn: Warn,
  ): Promise<ClickStream> {
    return ClickStream.#open(place, warn, (records) => ({
      publisher: new EventQueue({ ...records, ...given, clock: systemClock }),
      cursor: sharedCursor(records.streamStore, holderAt(place), systemClock, webhookLinks),
    }))
  }

  static async #open(
    place: RecordsPlace,
    warn: Warn,
    outlet: (records: Records, closing: Closing) => Outlet,
  ): Promise<ClickStream> {
    // Loaded only when needed. A second connection to the SQLite file does not block the first.
    const { openRecords } = await import('../stores/open-records.js')
    const closing = new Closing()
    try {
      const records = closing.add(await openRecords(place))
      return new ClickStream(closing, records, outlet(records, closing), warn)
    } catch (error) {
      await closing.close()
      throw error
    }
  }

  private constructor(closing: Closing, records: Records, { publisher, cursor }: Outlet, warn: Warn) {
    this.#closing = closing
    this.#publisher = publisher
    const wanted = publisher instanceof EventQueue ? () => publisher.topics() : undefined
    const subscriptions = new Subscriptions({ ...records, wanted })
    this.#subscriptions = subscriptions
    const names = new CurrentDomainNames(records)
    this.sink = new StreamSink(new ClickMessages({ ...records, subscriptions, names }), publisher)
    const { streamStore } = records
    const send = (batches: readonly Batch[]) => publisher.send(batches)
    const follower = new LinkFollower({ streamStore, subscriptions, names, cursor, send, clock: systemClock })
    this.#links = closing.add(new FollowedLinks(follower, warn))
    this.#timer = setInterval(() => {
      subscriptions
        .refresh()
        .catch((error) => warn({ reason: String(error) }, 'cannot refresh the readers of the stream'))
      names
        .refresh()
        .catch((error) => warn({ reason: String(error) }, 'cannot refresh the domain names for the stream'))
    }, refreshEvery)
  }

  /** Status of publishing new links. */
  get linkFollowerStatus(): LinkFollowerStatus {
    return this.#links.status()
  }

  /** Call it for every new stream thread. */
  connect(port: MessagePort): void {
    if (this.#publisher instanceof StreamFeed) this.#publisher.connect(port)
    else port.close()
  }

  /** Skips clicks up to this position. */
  async beginAfter(position: JournalPosition): Promise<void> {
    const reached = await this.#publisher.position(position.journalId)
    if (reached < position.row) await this.#publisher.publish([], position)
  }

  /** When it resolves, these topics and those with readers are published, or active webhooks get all later clicks. */
  async refresh(watched: readonly string[] = []): Promise<void> {
    this.#subscriptions.watch(new Set(watched))
    await this.#subscriptions.refresh()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#closing.close()
  }
}

interface Outlet {
  readonly publisher: StreamFeed | NsqdPublisher | EventQueue
  readonly cursor: LeasedCursor
}
