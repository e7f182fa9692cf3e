/** A topic: numbers its messages and owns its channels. Each channel reads the log from its own start. */
import type { Block } from './block.js'
import { Channel, type ChannelSettings, type ChannelTopic } from './channel.js'
import { pack } from './deliveries.js'
import { isEphemeral } from './frames.js'
import type { ChannelRow, MessageLog, TopicRow } from './message-log.js'

export class Topic implements ChannelTopic {
  readonly id: number
  readonly name: string
  readonly ephemeral: boolean
  readonly channels = new Map<string, Channel>()
  readonly counts = { messages: 0, bytes: 0 }
  readonly #log: MessageLog
  readonly #settings: ChannelSettings
  /** Blocks before this position were dropped from the log. */
  droppedBefore = 0
  /** The head saved in the topic's row. */
  savedHead = 0
  #head: number
  /** Start of the first channel: a topic without channels keeps its messages for it. */
  #start: number

  constructor(
    { id, name, head, start }: TopicRow,
    channels: readonly ChannelRow[],
    log: MessageLog,
    settings: ChannelSettings,
  ) {
    this.id = id
    this.name = name
    this.ephemeral = isEphemeral(name)
    this.#log = log
    this.#settings = settings
    this.#head = head
    this.#start = start
    for (const row of channels) {
      this.channels.set(row.name, new Channel(this, row.name, row.id, row, settings))
    }
  }

  get head(): number {
    return this.#head
  }

  get start(): number {
    return this.channels.size === 0 ? this.#start : this.#head + 1
  }

  /** Messages waiting for the first channel; each channel counts its own. */
  get depth(): number {
    return this.#head + 1 - this.start
  }

  /** Ephemeral channels are not saved, so the topic must save that their messages were delivered. */
  get onlyEphemeral(): boolean {
    return this.channels.size > 0 && [...this.channels.values()].every(({ ephemeral }) => ephemeral)
  }

  blockFrom(position: number): Block | undefined {
    return this.#log.blockFrom(this.id, position)
  }

  blockOf(position: number): Block | undefined {
    return this.#log.blockOf(this.id, position)
  }

  published(blocks: readonly Block[]): void {
    for (const block of blocks) {
      // Each message has a four-byte size in the log.
      const bytes = block.bytes.length - block.count * 4
      this.#head = block.last
      this.counts.messages += block.count
      this.counts.bytes += bytes
      this.#settings.totals.published += block.count
      this.#settings.totals.publishedBytes += bytes
      for (const channel of this.channels.values()) channel.published(block)
    }
  }

  /** Creates a missing channel. The first channel gets the whole backlog, later ones start empty. */
  channel(name: string): Channel {
    const known = this.channels.get(name)
    if (known) return known
    const backlog = this.depth
    const state = { next: this.start, outstanding: pack({ outstanding: [], ahead: [] }), lost: 0, paused: false }
    const row = isEphemeral(name) ? 0 : this.#log.createChannel(this.id, name, state)
    const channel = new Channel(this, name, row, state, this.#settings)
    channel.counts.messages = backlog
    this.channels.set(name, channel)
    return channel
  }

  deleteChannel(channel: Channel): void {
    if (!this.channels.delete(channel.name)) return
    this.#start = this.#head + 1
    this.#log.deleteChannel(channel.row, this.id, this.#start)
    channel.close()
  }

  /** Every channel has finished all messages before this position. */
  get finishedBefore(): number {
    const channels = [...this.channels.values()]
    return channels.length === 0 ? this.start : Math.min(...channels.map((channel) => channel.finishedBefore))
  }

  expire(before: number): void {
    this.#start = Math.max(this.#start, before)
    for (const channel of this.channels.values()) channel.expire(before)
  }

  close(): void {
    for (const channel of this.channels.values()) channel.close()
  }
}
