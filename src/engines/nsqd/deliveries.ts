/**
 * What a channel has handed out and has not seen finished: in flight with a consumer, deferred, or due to be handed out
 * again. A message is in one of the three; when it leaves all of them it is finished.
 */
import type { Outstanding } from './channel-state.js'
import { Fifo } from './fifo.js'

/** Whose message it is while it is in flight. */
export interface Owner {
  readonly messageTimeout: number
  /** One of its messages is no longer its own. */
  timedOut(): void
}

interface InFlight {
  readonly owner: Owner
  readonly attempts: number
  readonly deliveredAt: number
  deadline: number
}

/** Why a message could not be answered, in nsqd's words. */
export type Mistake = typeof notInFlight | typeof notOwned

export const notInFlight = 'ID not in flight'
const notOwned = 'client does not own message'

export class Deliveries {
  readonly #inFlight = new Map<number, InFlight>()
  readonly #deferred = new Map<number, Outstanding>()
  readonly #again = new Fifo<Outstanding>()
  /** No deadline and no delay ends before these moments, so most of the time there is nothing to look through. */
  #firstDeadline = Number.POSITIVE_INFINITY
  #firstDue = Number.POSITIVE_INFINITY

  get inFlight(): number {
    return this.#inFlight.size
  }

  get deferred(): number {
    return this.#deferred.size
  }

  get again(): number {
    return this.#again.length
  }

  get size(): number {
    return this.#inFlight.size + this.#deferred.size + this.#again.length
  }

  hand(position: number, owner: Owner, attempts: number, now: number): void {
    const deadline = now + owner.messageTimeout
    this.#inFlight.set(position, { owner, attempts, deliveredAt: now, deadline })
    if (deadline < this.#firstDeadline) this.#firstDeadline = deadline
  }

  /** The owner has answered; tells how often it was tried. */
  take(position: number, owner: Owner): number | Mistake {
    const delivery = this.#inFlight.get(position)
    if (!delivery) return notInFlight
    if (delivery.owner !== owner) return notOwned
    this.#inFlight.delete(position)
    return delivery.attempts
  }

  touch(position: number, owner: Owner, maxTimeout: number): Mistake | undefined {
    const delivery = this.#inFlight.get(position)
    if (!delivery) return notInFlight
    if (delivery.owner !== owner) return notOwned
    delivery.deadline = Math.min(Date.now() + owner.messageTimeout, delivery.deliveredAt + maxTimeout)
    return undefined
  }

  putBack(message: Outstanding): void {
    if (message.until <= Date.now()) {
      this.#again.push(message)
      return
    }
    this.#deferred.set(message.position, message)
    this.#firstDue = Math.min(this.#firstDue, message.until)
  }

  nextAgain(): Outstanding | undefined {
    return this.#again.shift()
  }

  /** Messages that were not answered in time, and deferred ones whose time has come, are due again. */
  tick(now: number): { readonly late: number; readonly due: number } {
    const late = now >= this.#firstDeadline ? this.#takeBackLate(now) : 0
    const due = now >= this.#firstDue ? this.#takeBackDeferred(now) : 0
    return { late, due }
  }

  /** The lowest of them, or `otherwise` when that is lower. */
  lowest(otherwise: number): number {
    let lowest = otherwise
    for (const positions of [this.#inFlight.keys(), this.#deferred.keys()])
      for (const position of positions) if (position < lowest) lowest = position
    for (const { position } of this.#again) if (position < lowest) lowest = position
    return lowest
  }

  /** Forgets what waits and comes before the position; what is in flight may still be finished. Answers how many. */
  expire(before: number): number {
    let expired = this.#again.remove(({ position }) => position < before)
    for (const position of this.#deferred.keys()) if (position < before && this.#deferred.delete(position)) expired++
    return expired
  }

  all(): readonly Outstanding[] {
    const inFlight = [...this.#inFlight].map(([position, { attempts }]) => ({ position, attempts, until: 0 }))
    return [...inFlight, ...this.#deferred.values(), ...this.#again]
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
      this.#again.push({ position, attempts, until: 0 })
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
      this.#again.push(message)
      due++
    }
    return due
  }
}
