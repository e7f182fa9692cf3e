/**
 * Unfinished messages of a channel: in flight, deferred, or waiting for redelivery. A message is in one of the three;
 * once it leaves all of them it is finished.
 */
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

/** A FIFO queue with cheap removal: `Array.shift` copies a large array every time. */
export class Fifo<T> implements Iterable<T> {
  #items: T[] = []
  #head = 0

  get length(): number {
    return this.#items.length - this.#head
  }

  push(item: T): void {
    this.#items.push(item)
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined
    const item = this.#items[this.#head++]
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) this.#compact()
    return item
  }

  /** Returns how many items it removed. */
  remove(unwanted: (item: T) => boolean): number {
    const before = this.length
    this.#compact()
    this.#items = this.#items.filter((item) => !unwanted(item))
    return before - this.length
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let index = this.#head; index < this.#items.length; index++) yield this.#items[index] as T
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head)
    this.#head = 0
  }
}

export interface Outstanding {
  readonly position: number
  readonly attempts: number
  /** Earliest redelivery time; 0 means now. */
  readonly until: number
}

export interface Unfinished {
  readonly outstanding: readonly Outstanding[]
  /** Deferred messages that were already delivered although `next` has not reached their position. */
  readonly ahead: readonly number[]
}

/** Binary encoding, as saved in the log. */
export function pack({ outstanding, ahead }: Unfinished): Buffer {
  const bytes = Buffer.allocUnsafe(4 + outstanding.length * entrySize + ahead.length * positionSize)
  let at = bytes.writeUInt32BE(outstanding.length, 0)
  for (const { position, attempts, until } of outstanding) {
    at = bytes.writeUIntBE(position, at, positionSize)
    at = bytes.writeUInt16BE(attempts, at)
    at = bytes.writeUIntBE(until, at, positionSize)
  }
  for (const position of ahead) at = bytes.writeUIntBE(position, at, positionSize)
  return bytes
}

export function unpack(bytes: Buffer): Unfinished {
  const outstanding: Outstanding[] = []
  const ahead: number[] = []
  const end = 4 + bytes.readUInt32BE(0) * entrySize
  for (let at = 4; at < end; at += entrySize) {
    outstanding.push({
      position: bytes.readUIntBE(at, positionSize),
      attempts: bytes.readUInt16BE(at + positionSize),
      until: bytes.readUIntBE(at + positionSize + 2, positionSize),
    })
  }
  for (let at = end; at < bytes.length; at += positionSize) ahead.push(bytes.readUIntBE(at, positionSize))
  return { outstanding, ahead }
}

/** Six bytes: positions up to 2^48, and milliseconds until the year 10889. */
const positionSize = 6
const entrySize = positionSize + 2 + positionSize
