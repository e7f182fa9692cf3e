/**
 * The main thread's handle on the live thread, which reads the stream and prepares the events of live readers: redirects
 * must not wait for that. It starts with the first reader.
 */
import type { LiveSource } from '../core/live/live-readers.js'
import type { FeedUpdate, LiveSubject } from '../core/live/live-subject.js'
import type { Stream, StreamDaemon } from '../core/stream/stream.js'
import { Refusal } from '../core/values/refusal.js'
import type { Closable } from '../lib/closing.js'
import type { Logger } from '../lib/logger.js'
import { beginThread, type SupervisorMethods, WorkerSupervisor } from './worker-supervisor.js'

/** The methods of the thread. */
export interface LiveThreadMethods {
  join(subject: LiveSubject, lastEventId: string | undefined): Promise<string>
  leave(subject: LiveSubject): void
  close(): void
}

/** The methods of the main thread for the live thread. */
export interface LiveThreadOwner extends SupervisorMethods {
  events(updates: readonly FeedUpdate[]): void
  daemons(): Promise<readonly StreamDaemon[]>
  /** The topic is published from the time this resolves until `release`. */
  hold(topic: string): Promise<void>
  release(topic: string): void
}

const closingGrace = 2_000

export class LiveThread implements LiveSource, Closable {
  readonly #supervisor: WorkerSupervisor<LiveThreadMethods>
  readonly #stream: Pick<Stream, 'daemons' | 'hold'>
  readonly #held = new Map<string, () => void>()
  #readers: Parameters<LiveSource['connect']>[0] | undefined

  constructor(stream: Pick<Stream, 'daemons' | 'hold'>, log: Logger) {
    this.#stream = stream
    this.#supervisor = new WorkerSupervisor<LiveThreadMethods>({
      name: 'the live thread',
      sentences: {
        ended: 'The live thread ended unexpectedly.',
        died: 'live thread died; live readers have to connect again',
        cannotStart: 'cannot start the live thread',
        back: 'live thread is running again',
      },
      log,
      away,
      begin: () => beginThread('live-worker.js', undefined),
      methods: this.#methods(),
      onDeath: () => this.#died(),
    })
  }

  connect(readers: Parameters<LiveSource['connect']>[0]): void {
    this.#readers = readers
  }

  async join(subject: LiveSubject, lastEventId: string | undefined): Promise<string> {
    await this.#supervisor.startOnce()
    return this.#supervisor.call('join', subject, lastEventId)
  }

  leave(subject: LiveSubject): void {
    this.#supervisor.tell('leave', [subject])
  }

  async close(): Promise<void> {
    await this.#supervisor.close([], closingGrace)
    this.#releaseAll()
  }

  #methods(): Omit<LiveThreadOwner, keyof SupervisorMethods> {
    return {
      events: (updates) => this.#readers?.receive(updates),
      daemons: () => this.#stream.daemons(),
      hold: async (topic) => {
        const release = await this.#stream.hold(topic)
        this.#held.get(topic)?.()
        this.#held.set(topic, release)
      },
      release: (topic) => {
        this.#held.get(topic)?.()
        this.#held.delete(topic)
      },
    }
  }

  #died(): void {
    this.#releaseAll()
    this.#readers?.endAll()
  }

  #releaseAll(): void {
    for (const release of this.#held.values()) release()
    this.#held.clear()
  }
}

function away(reason: string): Refusal {
  const message = `Live updates are not available at the moment (${reason}). Try again in a few seconds.`
  return new Refusal('TEMPORARILY_UNAVAILABLE', message, { retryAfter: 3 })
}
