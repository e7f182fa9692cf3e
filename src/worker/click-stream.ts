/**
 * The stream in the click thread: builds messages with data of the records about links and readers, and sends them to
 * the stream thread, or to external nsqd daemons if configured.
 */
import type { MessagePort } from 'node:worker_threads'
import type { LinkFollowerStatus } from '../core/clicks/deliver.js'
import type { JournalPosition } from '../core/clicks/journal.js'
import { ClickMessages, StreamSink } from '../core/stream/click-messages.js'
import { type LeasedCursor, LinkFollower } from '../core/stream/link-follower.js'
import type { Batch } from '../core/stream/messages.js'
import { CurrentDomainNames, Subscriptions } from '../core/stream/subscriptions.js'
import { systemClock } from '../core/values/time.js'
import { webhookTopics } from '../core/webhooks/events.js'
import { Closing } from '../lib/closing.js'
import type { RecordsPlace } from '../open/open-records.js'
import { openNsqdPublisher, type PublisherConfig } from '../storage/nsqd/open-publisher.js'
import type { NsqdPublisher } from '../storage/nsqd/publisher.js'
import type { Records } from '../storage/records/records.js'
import { StreamFeed } from './stream-feed.js'
import { FollowedLinks, holderAt, ownCursor, sharedCursor } from './stream-links.js'
import type { Warn } from './worker-supervisor.js'

export interface ClickStreamOptions {
  readonly records: RecordsPlace
  /** External nsqd daemons; undefined: the stream thread. */
  readonly daemons: PublisherConfig | undefined
}

/** How long until this process sees readers that another process allowed or denied. */
const refreshEvery = 5_000

export class ClickStream {
  readonly sink: StreamSink
  readonly #subscriptions: Subscriptions
  readonly #publisher: StreamFeed | NsqdPublisher
  readonly #links: FollowedLinks
  readonly #closing: Closing
  readonly #timer: NodeJS.Timeout

  static async open({ records: place, daemons }: ClickStreamOptions, warn: Warn): Promise<ClickStream> {
    // Loaded only with a stream. A second connection to the SQLite file does not block the first.
    const { openRecords } = await import('../open/open-records.js')
    const closing = new Closing()
    try {
      const records = closing.add(await openRecords(place))
      const publisher = closing.add(daemons ? openNsqdPublisher(daemons, systemClock, warn) : new StreamFeed())
      const cursor =
        publisher instanceof StreamFeed || place.databaseUrl === undefined
          ? ownCursor(publisher)
          : sharedCursor(records.streamStore, holderAt(place.dataDir), systemClock)
      return new ClickStream(closing, records, publisher, cursor, warn)
    } catch (error) {
      await closing.close()
      throw error
    }
  }

  private constructor(
    closing: Closing,
    records: Records,
    publisher: StreamFeed | NsqdPublisher,
    cursor: LeasedCursor,
    warn: Warn,
  ) {
    this.#closing = closing
    this.#publisher = publisher
    const topics = () => webhookTopics(records.webhookStore)
    const subscriptions = new Subscriptions({ ...records, webhookTopics: topics })
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

  /** When it resolves, these topics and those with readers are published. */
  async refresh(watched: readonly string[]): Promise<void> {
    this.#subscriptions.watch(new Set(watched))
    await this.#subscriptions.refresh()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#closing.close()
  }
}
