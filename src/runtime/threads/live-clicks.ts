/**
 * Where live readers get their events from: feeds in the click thread (core/live/feeds.ts), and clicks of other processes,
 * which arrive as notifications of the database. A process tells the others which keys its readers follow.
 */
import { randomUUID } from 'node:crypto'
import type { DomainStore } from '../../core/domains/domain-store.js'
import { keepFor } from '../../core/live/feeds.js'
import type { LiveSource } from '../../core/live/live-readers.js'
import { keyOf, type LiveSubject, type SharedClicks } from '../../core/live/live-subject.js'
import type { Clock } from '../../core/values/time.js'
import { chunks } from '../../lib/chunks.js'
import type { Closable } from '../../lib/closing.js'
import type { Logger } from '../../lib/logger.js'
import type { Notices } from '../../storage/sql/engine.js'
import type { ClickThread } from './click-thread.js'

export interface LiveClicksDeps {
  readonly pipeline: Pick<ClickThread, 'joinLive' | 'tellLive' | 'onLive'>
  readonly domainStore: Pick<DomainStore, 'listBuiltIn'>
  /** Undefined where no other process shares the database. */
  readonly notices: Notices | undefined
  readonly clock: Clock
  readonly log: Logger
}

/** Followed keys are told again this often, because notifications may be lost. */
const repeatEvery = 10_000
const followedFor = 3 * repeatEvery
/** A key is shorter than 300 bytes. */
const keysPerNotice = 20

/** PostgreSQL limits a notification to 8000 bytes. Quotes are escaped in it, so a click takes more than its length. */
const clicksPerNotice = 4
const maxClickBytes = 1_500

/** What processes tell each other. */
type Notice =
  | { readonly from: string; readonly follows: readonly string[] }
  | ({ readonly from: string; readonly follows?: undefined } & SharedClicks)

export class LiveClicks implements LiveSource, Closable {
  readonly #deps: LiveClicksDeps
  readonly #name = randomUUID()
  readonly #timer: NodeJS.Timeout
  /** Keys with readers here, or with some who may resume. */
  readonly #own = new Map<string, { readers: number; leftAt: number }>()
  /** Keys with readers in other processes, and until when that is believed. */
  readonly #followed = new Map<string, number>()
  #readers: Parameters<LiveSource['connect']>[0] | undefined

  constructor(deps: LiveClicksDeps) {
    this.#deps = deps
    deps.pipeline.onLive({
      liveEvents: (updates) => this.#readers?.receive(updates),
      shareClicks: (clicks) => this.#share(clicks),
      onDeath: () => this.#readers?.endAll(),
      onBack: () => this.#tellFollowed(),
    })
    deps.notices?.listen({ onNotice: (text) => this.#hear(text), onConnected: () => this.#connected() })
    this.#timer = setInterval(() => this.#repeat(), repeatEvery).unref()
  }

  connect(readers: Parameters<LiveSource['connect']>[0]): void {
    this.#readers = readers
  }

  async join(subject: LiveSubject, lastEventId: string | undefined): Promise<string> {
    const { pipeline, domainStore } = this.#deps
    const first = await pipeline.joinLive(subject, lastEventId, await domainStore.listBuiltIn())
    const key = keyOf(subject)
    const own = this.#own.get(key)
    if (own) own.readers += 1
    else {
      this.#own.set(key, { readers: 1, leftAt: 0 })
      this.#tell({ from: this.#name, follows: [key] })
    }
    return first
  }

  leave(subject: LiveSubject): void {
    const own = this.#own.get(keyOf(subject))
    if (own) {
      own.readers -= 1
      own.leftAt = this.#deps.clock.now()
    }
    this.#deps.pipeline.tellLive('leaveLive', subject)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Notifications before this were missed, if readers were waiting for some. */
  #connected(): void {
    if (this.#own.size > 0) this.#deps.pipeline.tellLive('addLiveGap')
    this.#repeat()
  }

  #repeat(): void {
    const now = this.#deps.clock.now()
    for (const [key, { readers, leftAt }] of this.#own) {
      if (readers === 0 && leftAt <= now - keepFor) this.#own.delete(key)
    }
    for (const follows of chunks([...this.#own.keys()], keysPerNotice)) this.#tell({ from: this.#name, follows })
    const over = [...this.#followed].filter(([, until]) => until <= now)
    for (const [key] of over) this.#followed.delete(key)
    if (over.length > 0) this.#tellFollowed()
  }

  #hear(text: string): void {
    const notice = JSON.parse(text) as Notice
    if (notice.from === this.#name) return
    if (notice.follows === undefined) {
      this.#deps.pipeline.tellLive('addSharedClicks', notice)
      return
    }
    const isNew = notice.follows.some((key) => !this.#followed.has(key))
    for (const key of notice.follows) this.#followed.set(key, this.#deps.clock.now() + followedFor)
    if (isNew) this.#tellFollowed()
  }

  #tellFollowed(): void {
    if (this.#deps.notices) this.#deps.pipeline.tellLive('shareLive', [...this.#followed.keys()])
  }

  /** A notification has few clicks, so that it is short enough. One that is too long is counted only. */
  #share(clicks: readonly SharedClicks[]): void {
    for (const { key, clicks: all, counted } of clicks) {
      const short = all.filter((data) => Buffer.byteLength(data) <= maxClickBytes)
      const long = counted + all.length - short.length
      if (long > 0) this.#tell({ from: this.#name, key, clicks: [], counted: long })
      for (const some of chunks(short, clicksPerNotice)) {
        this.#tell({ from: this.#name, key, clicks: some, counted: 0 })
      }
    }
  }

  #tell(notice: Notice): void {
    const { notices, log } = this.#deps
    notices?.send(JSON.stringify(notice)).catch((err: unknown) => {
      log.warn({ err }, 'cannot tell other processes about live updates; their readers miss clicks of this process')
    })
  }
}
