/** Publishes new links while the click thread runs, and keeps the cursor. */

import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { LinkFollowerStatus } from '../../core/clicks/deliver.js'
import type { Publisher } from '../../core/stream/click-messages.js'
import type { LeasedCursor, LinkFollower } from '../../core/stream/link-follower.js'
import type { StreamStore } from '../../core/stream/stream-store.js'
import type { Clock } from '../../core/values/time.js'
import type { Closable } from '../../lib/closing.js'
import type { Warn } from '../../lib/logger.js'
import { messageOf } from '../../lib/message-of.js'
import type { RecordsPlace } from '../stores/open-records.js'

/** Gives the publisher time to connect before the first poll. */
const firstPollDelay = 100
const firstRetry = 250
const maxRetryDelay = 30_000

export class FollowedLinks implements Closable {
  readonly #follower: LinkFollower
  readonly #warn: Warn
  readonly #over = new AbortController()
  readonly #done: Promise<void>
  #failures = 0
  #lastFailure: string | undefined
  #healthyAt = performance.now()

  constructor(follower: LinkFollower, warn: Warn) {
    this.#follower = follower
    this.#warn = warn
    this.#done = this.#run()
  }

  status(): LinkFollowerStatus {
    return {
      failures: this.#failures,
      lastFailure: this.#lastFailure,
      behindMs: Math.round(performance.now() - this.#healthyAt),
      tooLongOpenMs: this.#follower.tooLongOpen,
    }
  }

  /** Unpublished links wait in the records for the next start. */
  async close(): Promise<void> {
    this.#over.abort()
    await this.#done
  }

  async #run(): Promise<void> {
    let retryIn = firstRetry
    let pause = firstPollDelay
    while (await this.#sleep(pause)) {
      try {
        pause = await this.#follower.poll()
        retryIn = firstRetry
        this.#lastFailure = undefined
        this.#healthyAt = performance.now()
      } catch (error) {
        this.#failures++
        this.#lastFailure = messageOf(error)
        this.#warn(
          { reason: this.#lastFailure, retryIn },
          'cannot publish new links to the stream; they wait in the database',
        )
        pause = retryIn
        retryIn = Math.min(retryIn * 2, maxRetryDelay)
      }
    }
    await this.#follower
      .leave()
      .catch((error) =>
        this.#warn(
          { reason: messageOf(error) },
          'cannot release the lease on new links; another process takes over a little later',
        ),
      )
  }

  /** Returns false when closed. */
  #sleep(milliseconds: number): Promise<boolean> {
    return wait(milliseconds, true, { signal: this.#over.signal }).catch(() => false)
  }
}

/**
 * A cursor beside the journal positions, for a process with its own stream or its own records. Not in its own SQLite
 * records: each step would be a commit that the main thread has to look into.
 */
export function ownCursor(publisher: Publisher): LeasedCursor {
  const move = (to: number) => publisher.publish([], { journalId: linksCursor, row: to })
  return {
    async take(from) {
      const kept = await publisher.position(linksCursor)
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

/** A cursor in records that several processes share, like the daemons: one of them publishes the links. */
export function sharedCursor(streamStore: StreamStore, holder: string, clock: Clock, name = linksCursor): LeasedCursor {
  return {
    take(from) {
      const now = clock.now()
      return streamStore.takeCursor(name, holder, { from, now, staleBefore: now - leaseTimeout })
    },
    move: (to) => streamStore.moveCursor(name, holder, to, clock.now()),
    leave: () => streamStore.leaveCursor(name, holder),
  }
}

/** Stays the same after a restart, and in a restored SQLite file, which then need not wait for the lease to expire. */
export function holderAt({ databaseUrl, dataDir }: RecordsPlace): string {
  return databaseUrl === undefined ? 'the only process' : `${hostname()}:${resolve(dataDir)}`
}

/** Not the name of any journal. */
const linksCursor = 'links'
/** As the migration and former-channels.ts wrote it. */
export const webhookLinks = `webhooks ${linksCursor}`
/** Three times the interval in which a healthy process moves its cursor. */
const leaseTimeout = 15_000
