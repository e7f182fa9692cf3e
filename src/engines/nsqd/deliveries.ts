/**
 * Unfinished messages of a channel: in flight, deferred, or waiting for redelivery. A message is in one of the three;
 * once it leaves all of them it is finished.
 */
import type { Outstanding } from './channel-state.js'
import { Fifo } from './fifo.js'

/** The consumer of an in-flight message. */
export interface Owner {
  readonly messageTimeout: number
  /** One of its messages timed out and is no longer in flight. */
  timedOut(): void
}

interface InFlight {
  readonly owner: Owner
  readonly attempts: number
  readonly deliveredAt: number
  deadline: number
}

/** Error texts of nsqd. */
export type DeliveryError = typeof notInFlight | typeof notOwned

export const notInFlight = 'ID not in flight'
const notOwned = 'client does not own message'

export class Deliveries {
  readonly #inFlight = new Map<number, InFlight>()
  readonly #deferred = new Map<number, Outstanding>()
  readonly #requeued = new Fifo<Outstanding>()
  /** Earliest deadline and earliest due time, so that most ticks scan nothing. */
  #firstDeadline = Number.POSITIVE_INFINITY
  #firstDue = Number.POSITIVE_INFINITY

  get inFlight(): number {
    return this.#inFlight.size
  }

  get deferred(): number {
    return this.#deferred.size
  }

  get requeued(): number {
    return this.#requeued.length
  }

  get size(): number {
    return this.#inFlight.size + this.#deferred.size + this.#requeued.length
  }

  add(position: number, owner: Owner, attempts: number, now: number): void {
    const deadline = now + owner.messageTimeout
    this.#inFlight.set(position, { owner, attempts, deliveredAt: now, deadline })
    if (deadline < this.#firstDeadline) this.#firstDeadline = deadline
  }

  /** The owner answered: removes the message and returns its attempts. */
  take(position: number, owner: Owner): number | DeliveryError {
    const delivery = this.#inFlight.get(position)
    if (!delivery) return notInFlight
    if (delivery.owner !== owner) return notOwned
    this.#inFlight.delete(position)
    return delivery.attempts
  }

  touch(position: number, owner: Owner, maxTimeout: number): DeliveryError | undefined {
    const delivery = this.#inFlight.get(position)
    if (!delivery) return notInFlight
    if (delivery.owner !== owner) return notOwned
    delivery.deadline = Math.min(Date.now() + owner.messageTimeout, delivery.deliveredAt + maxTimeout)
    return undefined
  }

  putBack(message: Outstanding): void {
    if (message.until <= Date.now()) {
      this.#requeued.push(message)
      return
    }
    this.#deferred.set(message.position, message)
    this.#firstDue = Math.min(this.#firstDue, message.until)
  }

  nextRequeued(): Outstanding | undefined {
    return this.#requeued.shift()
  }

  /** Requeues messages that timed out and deferred messages that are due. */
  tick(now: number): { readonly late: number; readonly due: number } {
    const late = now >= this.#firstDeadline ? this.#takeBackLate(now) : 0
    const due = now >= this.#firstDue ? this.#takeBackDeferred(now) : 0
    return { late, due }
  }

  /** The lowest unfinished position, or `otherwise` when that is lower. */
  lowest(otherwise: number): number {
    let lowest = otherwise
    for (const positions of [this.#inFlight.keys(), this.#deferred.keys()])
      for (const position of positions) if (position < lowest) lowest = position
    for (const { position } of this.#requeued) if (position < lowest) lowest = position
    return lowest
  }

  /** Drops waiting messages before the position and returns how many; in-flight ones may still be finished. */
  expire(before: number): number {
    let expired = this.#requeued.remove(({ position }) => position < before)
    for (const position of this.#deferred.keys()) if (position < before && this.#deferred.delete(position)) expired++
    return expired
  }

  all(): readonly Outstanding[] {
    const inFlight = [...this.#inFlight].map(([position, { attempts }]) => ({ position, attempts, until: 0 }))
    return [...inFlight, ...this.#deferred.values(), ...this.#requeued]
  }

  #takeBackLate(now: number): number {
    this.#firstDeadline = Number.POSITIVE_INFINITY
    let late = 0
    for (const [position, { owner, attempts, deadline }] of this.#inFlight) {
      if (deadline > now) {
        this.#firstDeadline = Math.min(this.#firstDeadline, deadline)
        continue
      }
      this.#inFlight.delete(position)
      owner.timedOut()
      this.#requeued.push({ position, attempts, until: 0 })
      late++
    }
    return late
  }

  #takeBackDeferred(now: number): number {
    this.#firstDue = Number.POSITIVE_INFINITY
    let due = 0
    for (const message of this.#deferred.values()) {
      if (message.until > now) {
        this.#firstDue = Math.min(this.#firstDue, message.until)
        continue
      }
      this.#deferred.delete(message.position)
      this.#requeued.push(message)
      due++
    }
    return due
  }
}
