/**
 * How many connections of one network may have an API request under way at once (docs/api/limits.md#connections). A connection counts
 * once, however many requests it carries. One too many waits in a queue for a short time, first come first served, because
 * most requests are answered within milliseconds; then it is refused. Counted in this process.
 */
import { type Cidr, contains } from '../../lib/cidr.js'
import { Refusal } from '../values/refusal.js'

export interface ConnectionLimits {
  /** Connections that one network may use at once; 0: as many as they like. */
  readonly most: number
  /** Networks with a limit of their own. The first that an address is in counts. */
  readonly networks: readonly NetworkLimit[]
  /** How many milliseconds a request waits for a place. */
  readonly patience: number
}

interface NetworkLimit {
  readonly network: Cidr
  readonly most: number
}

export interface Entry {
  /** Settled when the request may go on, or is refused; undefined when it may go on at once. */
  readonly admitted: Promise<void> | undefined
  /** The request was answered, or its client is gone. To be called in any case; calling it again does nothing. */
  leave(): void
}

export class Connections {
  readonly #networks = new Map<string, Network>()
  readonly #limits: ConnectionLimits
  refused = 0

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  /** How many connections may be used at once from where this address is; 0: as many as they like. */
  mostFor(address: string): number {
    return this.#limits.networks.find(({ network }) => contains(network, address))?.most ?? this.#limits.most
  }

  /** `most`: what `mostFor` says, and not 0. Throws a refusal when the queue of the network is full. */
  enter(networkName: string, connection: object, most: number): Entry {
    const network = this.#networks.get(networkName) ?? { most, holding: new Map(), queue: new Map() }
    this.#networks.set(networkName, network)
    const held = network.holding.get(connection)
    if (held !== undefined || network.holding.size < network.most) {
      network.holding.set(connection, (held ?? 0) + 1)
      return { admitted: undefined, leave: once(() => this.#release(networkName, network, connection)) }
    }
    const waiting = network.queue.get(connection) ?? this.#enqueue(network, connection)
    waiting.requests += 1
    const leave = () => {
      if (waiting.state === 'admitted') this.#release(networkName, network, connection)
      else if (waiting.state === 'waiting') this.#abandon(network, connection, waiting)
    }
    return { admitted: waiting.admitted, leave: once(leave) }
  }

  #enqueue(network: Network, connection: object): Waiting {
    if (network.queue.size >= longestQueue) throw this.#refusal(network)
    const { promise, resolve, reject } = settleLater()
    // Who is gone when it is refused does not hear of it.
    promise.catch(() => {})
    const refuse = () => {
      waiting.state = 'refused'
      network.queue.delete(connection)
      reject(this.#refusal(network))
    }
    const waiting: Waiting = {
      admitted: promise,
      state: 'waiting',
      requests: 0,
      admit: resolve,
      reject,
      timer: setTimeout(refuse, this.#limits.patience),
    }
    network.queue.set(connection, waiting)
    return waiting
  }

  /** A request less on a connection that has a place. The place of its last one goes to the first in the queue. */
  #release(networkName: string, network: Network, connection: object): void {
    const left = (network.holding.get(connection) ?? 1) - 1
    if (left > 0) {
      network.holding.set(connection, left)
      return
    }
    network.holding.delete(connection)
    const [next] = network.queue
    if (next) admit(network, ...next)
    else if (network.holding.size === 0) this.#networks.delete(networkName)
  }

  #abandon(network: Network, connection: object, waiting: Waiting): void {
    waiting.requests -= 1
    if (waiting.requests > 0) return
    clearTimeout(waiting.timer)
    network.queue.delete(connection)
    waiting.state = 'refused'
    waiting.reject(new Refusal('RATE_LIMIT_EXCEEDED', 'The client is gone.'))
  }

  #refusal({ most }: Network): Refusal {
    this.refused += 1
    const message =
      `${most} connections from your address have requests under way, which is all that are allowed at once. ` +
      'Wait for one of them to be answered.'
    const rate = { reason: 'concurrent connections', limit: most, remaining: 0, resetAt: undefined }
    return new Refusal('RATE_LIMIT_EXCEEDED', message, { rate, retryAfter: 1 })
  }
}

interface Network {
  readonly most: number
  /** Connections with a place, and how many requests each has under way. */
  readonly holding: Map<object, number>
  /** In the order in which they came. */
  readonly queue: Map<object, Waiting>
}

interface Waiting {
  readonly admitted: Promise<void>
  readonly admit: () => void
  readonly reject: (refusal: Refusal) => void
  readonly timer: NodeJS.Timeout
  state: 'waiting' | 'admitted' | 'refused'
  requests: number
}

/** Connections of one network that may wait: what comes after them would wait in vain. */
const longestQueue = 200

function admit(network: Network, connection: object, waiting: Waiting): void {
  clearTimeout(waiting.timer)
  network.queue.delete(connection)
  network.holding.set(connection, waiting.requests)
  waiting.state = 'admitted'
  waiting.admit()
}

/** Promise.withResolvers is younger than the oldest Node we run on. */
function settleLater(): { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } {
  let resolve = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<void>((resolveIt, rejectIt) => {
    resolve = resolveIt
    reject = rejectIt
  })
  return { promise, resolve, reject }
}

function once(leave: () => void): () => void {
  let left = false
  return () => {
    if (left) return
    left = true
    leave()
  }
}
