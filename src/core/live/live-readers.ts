/**
 * The live readers of this process: how many there may be, what each of them gets, and whether it still may. It runs on
 * the thread that answers redirects, so it only passes finished text on. Must not know HTTP.
 */
import type { Closable } from '../../lib/closing.js'
import { isOutage, Refusal } from '../values/refusal.js'
import { type FeedUpdate, keyOf, type LiveSubject } from './live-subject.js'

export interface LiveReader {
  readonly subject: LiveSubject
  /** Returns false when the reader is too slow: too much is not sent yet. */
  write(text: Uint8Array): boolean
  end(): void
  /** Rejects with a refusal when the reader has lost its access. */
  authorize(): Promise<void>
}

/** Where events come from: the live thread. */
export interface LiveSource {
  /** Resolves with the first events of a reader, when every later click of the subject will arrive. */
  join(subject: LiveSubject, lastEventId: string | undefined): Promise<string>
  leave(subject: LiveSubject): void
  /** Called once, before the first reader. */
  connect(readers: { receive(updates: readonly FeedUpdate[]): void; endAll(): void }): void
}

export interface LiveLimits {
  /** Readers of this process. */
  readonly max: number
}

/** About 20 MB. */
const usualLimits: LiveLimits = { max: 1_000 }

/** Seconds between two heartbeats of a reader; its access is checked with each. */
const heartbeatEvery = 15

const heartbeat = Buffer.from(': still here\n\n')

export class LiveReaders implements Closable {
  readonly #source: LiveSource
  readonly #limits: LiveLimits
  readonly #readers = new Map<string, Set<LiveReader>>()
  readonly #perOrganization = new Map<string, number>()
  /** One for each second of the heartbeat, so that a thousand readers are not served at once. */
  readonly #heartbeats: readonly Set<LiveReader>[] = Array.from({ length: heartbeatEvery }, () => new Set<LiveReader>())
  #second = 0
  #timer: NodeJS.Timeout | undefined
  #closed = false
  #open = 0
  #opened = 0
  #dropped = 0

  constructor(source: LiveSource, limits: LiveLimits = usualLimits) {
    this.#source = source
    this.#limits = limits
    source.connect({ receive: (updates) => this.#receive(updates), endAll: () => this.endAll() })
  }

  get counts(): { readonly open: number; readonly opened: number; readonly dropped: number } {
    return { open: this.#open, opened: this.#opened, dropped: this.#dropped }
  }

  /**
   * Returns the first events, after which the reader gets later ones until `leave`. Refuses when there are too many
   * readers: one organization may have half of them, so that it cannot lock out the others.
   */
  async join(reader: LiveReader, lastEventId: string | undefined): Promise<string> {
    const { subject } = reader
    this.#reserve(subject.organizationGuid)
    try {
      const first = await this.#source.join(subject, lastEventId)
      if (this.#closed) {
        this.#source.leave(subject)
        throw new Refusal('TEMPORARILY_UNAVAILABLE', 'The service is stopping. Connect again.')
      }
      const key = keyOf(subject)
      const others = this.#readers.get(key)
      if (others) others.add(reader)
      else this.#readers.set(key, new Set([reader]))
      this.#heartbeats[this.#second]?.add(reader)
      this.#timer ??= setInterval(() => this.#beat(), 1_000).unref()
      this.#opened += 1
      return first
    } catch (error) {
      this.#release(subject.organizationGuid)
      throw error
    }
  }

  /** Does nothing when the reader has left. */
  leave(reader: LiveReader): void {
    const key = keyOf(reader.subject)
    const readers = this.#readers.get(key)
    if (!readers?.delete(reader)) return
    if (readers.size === 0) this.#readers.delete(key)
    for (const beat of this.#heartbeats) beat.delete(reader)
    this.#release(reader.subject.organizationGuid)
    this.#source.leave(reader.subject)
    if (this.#open > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** When the service stops. */
  close(): void {
    this.#closed = true
    this.endAll()
  }

  /** When there are no more events: clients connect again. */
  endAll(): void {
    for (const readers of [...this.#readers.values()]) for (const reader of [...readers]) this.#end(reader)
  }

  #reserve(organizationGuid: string): void {
    const { max } = this.#limits
    const ofOrganization = this.#perOrganization.get(organizationGuid) ?? 0
    if (this.#open >= max) {
      const message = `This process serves ${max} live readers, which is the maximum. Try again later, or poll the metrics.`
      throw new Refusal('TEMPORARILY_UNAVAILABLE', message, { retryAfter: 30 })
    }
    const most = Math.ceil(max / 2)
    if (ofOrganization >= most) {
      const message = `Your organization has ${most} live readers, which is the maximum. Close one of them first.`
      const rate = { reason: 'live readers', limit: most, remaining: 0, resetAt: undefined }
      throw new Refusal('RATE_LIMIT_EXCEEDED', message, { rate, retryAfter: 30 })
    }
    this.#open += 1
    this.#perOrganization.set(organizationGuid, ofOrganization + 1)
  }

  #release(organizationGuid: string): void {
    this.#open -= 1
    const left = (this.#perOrganization.get(organizationGuid) ?? 1) - 1
    if (left > 0) this.#perOrganization.set(organizationGuid, left)
    else this.#perOrganization.delete(organizationGuid)
  }

  #receive(updates: readonly FeedUpdate[]): void {
    for (const [key, events] of updates) {
      const readers = this.#readers.get(key)
      if (!readers) continue
      const text = Buffer.from(events)
      for (const reader of readers) this.#write(reader, text)
    }
  }

  #write(reader: LiveReader, text: Uint8Array): void {
    if (reader.write(text)) return
    this.#dropped += 1
    this.#end(reader)
  }

  #end(reader: LiveReader): void {
    this.leave(reader)
    reader.end()
  }

  #beat(): void {
    this.#second = (this.#second + 1) % heartbeatEvery
    for (const reader of [...(this.#heartbeats[this.#second] ?? [])]) {
      this.#write(reader, heartbeat)
      // While the database is away, readers stay: they were allowed a moment ago.
      reader.authorize().catch((error: unknown) => {
        if (error instanceof Refusal && !isOutage(error)) this.#end(reader)
      })
    }
  }
}
