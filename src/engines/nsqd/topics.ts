/** All topics over one log: publishing, saving channel positions, and dropping finished and expired messages. */
import { messageOf } from '../../lib/message-of.js'
import type { Channel } from './channel.js'
import { isEphemeral, isValidName } from './frames.js'
import { type Appended, type Batch, MessageLog, type Saving } from './message-log.js'
import type { Limits, NsqdOptions, Retention, Totals } from './options.js'
import { Topic } from './topic.js'

/** Maximum share of time spent saving: with many unfinished messages, saving runs less often. */
const savingShare = 0.05
/** Milliseconds per compaction run. */
const compactionTime = 20

export class Topics {
  readonly #log: MessageLog
  readonly #limits: Limits
  readonly #retention: Retention
  readonly #totals: Totals
  readonly #logger: NsqdOptions['log']
  readonly #byName = new Map<string, Topic>()
  readonly #byId = new Map<number, Topic>()
  readonly #timers: readonly NodeJS.Timeout[]
  #saveNotBefore = 0
  #failure: string | undefined

  constructor(options: NsqdOptions, limits: Limits, retention: Retention, totals: Totals) {
    this.#log = new MessageLog(options.file, options.durability ?? 'normal', limits.cacheSize)
    this.#limits = limits
    this.#retention = retention
    this.#totals = totals
    this.#logger = options.log
    const channels = this.#log.channels()
    for (const row of this.#log.topics()) {
      if (isEphemeral(row.name)) this.#log.deleteTopic(row.id)
      else this.#add(row, channels)
    }
    this.#timers = [
      setInterval(() => this.#tick(), 100),
      setInterval(() => this.#attempt(() => this.#saveChanges()), limits.saveInterval),
      setInterval(() => this.#attempt(() => this.compact()), retention.interval),
    ]
  }

  get all(): Iterable<Topic> {
    return this.#byName.values()
  }

  get logBytes(): number {
    return this.#log.bytes
  }

  /** The last write error, until a write succeeds. */
  get failure(): string | undefined {
    return this.#failure
  }

  find(name: string): Topic | undefined {
    return this.#byName.get(name)
  }

  topic(name: string): Topic {
    const known = this.#byName.get(name)
    if (known) return known
    if (!isValidName(name))
      throw new RangeError(`"${name}" is not a valid topic name: use up to 64 of . a-z A-Z 0-9 _ -`)
    return this.#add(this.#log.createTopic(name), [])
  }

  publish(name: string, messages: readonly Buffer[], delay: number): void {
    if (messages.length === 0) return
    const deferredUntil = delay === 0 ? 0 : Date.now() + delay
    const batch = this.#batch(name, messages, deferredUntil)
    this.#announce(this.#trackWrite(() => this.#log.append([batch])))
  }

  publishOnce(source: string, position: number, batches: readonly (readonly [string, readonly Buffer[]])[]): boolean {
    const rows = batches.map(([name, messages]) => this.#batch(name, messages, 0))
    const appended = this.#trackWrite(() => this.#log.appendOnce(source, position, rows))
    if (appended) this.#announce(appended)
    return appended !== undefined
  }

  sourcePosition(source: string): number {
    return this.#log.sourcePosition(source)
  }

  /** A consumer left: deletes an ephemeral channel without consumers, and an ephemeral topic without channels. */
  left(topic: Topic, channel: Channel): void {
    if (channel.ephemeral && channel.consumers.length === 0) this.deleteChannel(topic, channel)
  }

  deleteChannel(topic: Topic, channel: Channel): void {
    topic.deleteChannel(channel)
    if (!topic.ephemeral || topic.channels.size > 0 || !this.#byName.delete(topic.name)) return
    this.#byId.delete(topic.id)
    this.#log.deleteTopic(topic.id)
  }

  /** Drops finished messages, then expired ones, for a bounded time. */
  compact(now = Date.now()): void {
    const end = performance.now() + compactionTime
    for (const topic of this.#byName.values()) {
      const before = topic.finishedBefore
      while (topic.droppedBefore < before && performance.now() < end) {
        if (this.#log.dropFinished(topic.id, before, savingOf([topic])) === 0) topic.droppedBefore = before
      }
    }
    while (performance.now() < end) {
      const { age, size } = this.#retention
      const dropped = this.#log.dropExpired(now - age, size, (id) => this.#byId.get(id)?.head ?? 0)
      if (dropped.length === 0) return
      for (const { topic, before } of dropped) this.#byId.get(topic)?.expire(before)
    }
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer)
    for (const topic of this.#byName.values()) topic.close()
    this.#attempt(() => this.#log.save(savingOf(this.#byName.values())))
    this.#log.close()
  }

  #add(row: { id: number; name: string; head: number; start: number }, channels: ReturnType<MessageLog['channels']>) {
    const settings = { maxOutstanding: this.#limits.maxOutstanding, totals: this.#totals }
    const own = channels.filter(({ topic }) => topic === row.id)
    const topic = new Topic(row, own, this.#log, settings)
    this.#byName.set(row.name, topic)
    this.#byId.set(row.id, topic)
    return topic
  }

  #batch(name: string, messages: readonly Buffer[], deferredUntil: number): Batch {
    const { maxMessageSize } = this.#limits
    if (messages.some(({ length }) => length === 0 || length > maxMessageSize))
      throw new RangeError(`a message must have 1 to ${maxMessageSize} bytes`)
    const { id, head } = this.topic(name)
    return { topic: id, head, messages, deferredUntil }
  }

  #announce(appended: readonly Appended[]): void {
    for (const { topic, blocks } of appended) this.#byId.get(topic)?.published(blocks)
  }

  #tick(): void {
    const now = Date.now()
    for (const topic of this.#byName.values()) for (const channel of topic.channels.values()) channel.tick(now)
  }

  #saveChanges(): void {
    const start = performance.now()
    if (start < this.#saveNotBefore) return
    const channels: { id: number; state: ReturnType<Channel['state']>; channel: Channel }[] = []
    const topics: Topic[] = []
    for (const topic of this.#byName.values()) {
      if (topic.head > topic.savedHead && topic.onlyEphemeral) topics.push(topic)
      for (const channel of topic.channels.values()) {
        const state = channel.changes()
        if (state) channels.push({ id: channel.row, state, channel })
      }
    }
    if (channels.length === 0 && topics.length === 0) return
    try {
      this.#trackWrite(() => this.#log.save({ channels, topics }))
    } catch (error) {
      for (const { channel } of channels) channel.unsaved()
      throw error
    }
    for (const topic of topics) topic.savedHead = topic.head
    this.#saveNotBefore = start + (performance.now() - start) / savingShare
  }

  /** Consumers continue meanwhile; after a crash they get the unsaved messages again. The next timer retries. */
  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#failed(error)
    }
  }

  /** Tracks write failures. Only for work that always writes. */
  #trackWrite<T>(work: () => T): T {
    try {
      const result = work()
      if (this.#failure !== undefined) this.#logger?.info('message log is writable again')
      this.#failure = undefined
      return result
    } catch (error) {
      this.#failed(error)
      throw error
    }
  }

  /** Logs a full disk once, when it starts and when it ends. */
  #failed(error: unknown): void {
    if (this.#failure === undefined) this.#logger?.error({ err: error }, 'cannot write to the message log')
    this.#failure = messageOf(error)
  }
}

function savingOf(topics: Iterable<Topic>): Saving {
  const all = [...topics]
  const channels = all.flatMap(({ channels }) => [...channels.values()])
  return {
    topics: all.map(({ id, head, start }) => ({ id, head, start })),
    channels: channels
      .filter(({ ephemeral }) => !ephemeral)
      .map((channel) => ({ id: channel.row, state: channel.state() })),
  }
}
