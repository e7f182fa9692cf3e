/** Lets links be followed for as long as the click thread runs, and keeps how far that has come. */
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { LinkFollowerStatus } from '../core/clicks/deliver.js'
import type { Publisher } from '../core/stream/click-messages.js'
import type { LeasedCursor, LinkFollower } from '../core/stream/link-follower.js'
import type { StreamStore } from '../core/stream/stream-store.js'
import type { Clock } from '../core/values/time.js'
import type { Closable } from '../lib/closing.js'
import type { Warn } from './worker-supervisor.js'

/** Before the first look there is somebody to hand links to. */
const firstLook = 100
const firstRetry = 250
const slowestRetry = 30_000

export class FollowedLinks implements Closable {
  readonly #follower: LinkFollower
  readonly #warn: Warn
  readonly #over = new AbortController()
  readonly #done: Promise<void>
  #failures = 0
  #lastFailure: string | undefined
  #wellAt = performance.now()

  constructor(follower: LinkFollower, warn: Warn) {
    this.#follower = follower
    this.#warn = warn
    this.#done = this.#run()
  }

  status(): LinkFollowerStatus {
    return {
      failures: this.#failures,
      lastFailure: this.#lastFailure,
      behindMs: Math.round(performance.now() - this.#wellAt),
      tooLongOpenMs: this.#follower.tooLongOpen,
    }
  }

  /** What is not published yet waits in the records for the next start. */
  async close(): Promise<void> {
    this.#over.abort()
    await this.#done
  }

  async #run(): Promise<void> {
    let retryIn = firstRetry
    let pause = firstLook
    while (await this.#rest(pause)) {
      try {
        pause = await this.#follower.poll()
        retryIn = firstRetry
        this.#lastFailure = undefined
        this.#wellAt = performance.now()
      } catch (error) {
        this.#failures++
        this.#lastFailure = reasonOf(error)
        this.#warn({ reason: this.#lastFailure, retryIn }, 'new links cannot be passed on: they wait in the records')
        pause = retryIn
        retryIn = Math.min(retryIn * 2, slowestRetry)
      }
    }
    await this.#follower
      .leave()
      .catch((error) => this.#warn({ reason: reasonOf(error) }, 'new links are passed on by others a little later'))
  }

  /** False when it is over. */
  #rest(milliseconds: number): Promise<boolean> {
    return wait(milliseconds, true, { signal: this.#over.signal }).catch(() => false)
  }
}

/**
 * Beside the positions of journals, for a process that takes turns with nobody: its stream is its own, or the records are.
 * Not in records of its own: whatever another thread commits there makes the redirect path forget where all links lead.
 */
export function ownCursor(publisher: Publisher): LeasedCursor {
  const move = (to: number) => publisher.publish([], { journalId: name, row: to })
  return {
    async take(from) {
      const kept = await publisher.position(name)
      if (kept > 0) return kept
      await move(from)
      return from
    },
    async move(to) {
      await move(to)
      return true
    },
    async leave() {},
  }
}

/** In records that several processes share, as they share the daemons: one of them is enough to tell these. */
export function sharedCursor(streamStore: StreamStore, holder: string, clock: Clock): LeasedCursor {
  return {
    take(from) {
      const now = clock.now()
      return streamStore.takeCursor(name, holder, { from, now, staleBefore: now - goneAfter })
    },
    move: (to) => streamStore.moveCursor(name, holder, to, clock.now()),
    leave: () => streamStore.leaveCursor(name, holder),
  }
}

/** The same after a restart, which then need not wait for its turn. */
export function holderAt(dataDir: string): string {
  return `${hostname()}:${resolve(dataDir)}`
}

/** No journal has this name. */
const name = 'links'
/** Our choice: three times as long as it takes a process that is well to move its bookmark. */
const goneAfter = 15_000

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
