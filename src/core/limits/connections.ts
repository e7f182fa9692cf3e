/**
 * Limits the connections with an API request in flight, per network (docs/api/limits.md#connections). A connection counts
 * once, however many requests it carries. Above the limit a request waits briefly in a FIFO queue, because most requests
 * take milliseconds; then it is refused. Counts per process.
 */
import { type Cidr, contains } from '../../lib/cidr.js'
import { counted } from '../../lib/counted.js'
import { Refusal } from '../values/refusal.js'

export interface ConnectionLimits {
  /** Maximum concurrent connections of one network; 0: unlimited. */
  readonly max: number
  /** Networks with their own limit. The first match applies. */
  readonly networks: readonly NetworkLimit[]
  /** How long a request waits for a free connection slot, in milliseconds. */
  readonly timeout: number
}

interface NetworkLimit {
  readonly network: Cidr
  readonly max: number
}

export interface Entry {
  /** Resolves when the request may proceed, rejects when it is refused; undefined when it may proceed at once. */
  readonly admitted: Promise<void> | undefined
  /** Call when the request was answered or the client disconnected. Further calls do nothing. */
  leave(): void
}

export class Connections {
  readonly #networks = new Map<string, Network>()
  readonly #limits: ConnectionLimits
  refused = 0

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  /** Maximum concurrent connections from the network of this address; 0: unlimited. */
  maxFor(address: string): number {
    return this.#limits.networks.find(({ network }) => contains(network, address))?.max ?? this.#limits.max
  }

  /** `max`: the result of `maxFor`, which must not be 0. Throws a refusal when the queue of the network is full. */
  enter(networkName: string, connection: object, max: number): Entry {
    const network = this.#networks.get(networkName) ?? { max, holding: new Map(), queue: new Map() }
    this.#networks.set(networkName, network)
    const held = network.holding.get(connection)
    if (held !== undefined || network.holding.size < network.max) {
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
    if (network.queue.size >= maxQueueLength) throw this.#refusal(network)
    const { promise, resolve, reject } = withResolvers()
    // A client that disconnected does not await the promise.
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
      timer: setTimeout(refuse, this.#limits.timeout),
    }
    network.queue.set(connection, waiting)
    return waiting
  }

  /** Ends a request. The slot of a connection's last request goes to the first connection in the queue. */
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
    waiting.reject(new Refusal('RATE_LIMIT_EXCEEDED', 'The client disconnected.'))
  }

  #refusal({ max }: Network): Refusal {
    this.refused += 1
    const message =
      `Your network has requests in progress on ${counted(max, 'connection')}, which is the maximum. ` +
      'Wait until one of them is answered, or send more requests on the same connection.'
    const rate = { reason: 'concurrent connections', limit: max, remaining: 0, resetAt: undefined }
    return new Refusal('RATE_LIMIT_EXCEEDED', message, { rate, retryAfter: 1 })
  }
}

interface Network {
  readonly max: number
  /** Connections with a slot, and their number of requests in flight. */
  readonly holding: Map<object, number>
  /** In order of arrival. */
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

/** Maximum queue length per network: requests beyond it would time out anyway. */
const maxQueueLength = 200

function admit(network: Network, connection: object, waiting: Waiting): void {
  clearTimeout(waiting.timer)
  network.queue.delete(connection)
  network.holding.set(connection, waiting.requests)
  waiting.state = 'admitted'
  waiting.admit()
}

/** Promise.withResolvers needs Node 22. */
function withResolvers(): { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } {
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
