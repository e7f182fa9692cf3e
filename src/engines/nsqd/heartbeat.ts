/** Heartbeats of one connection: sends one per interval, and closes a connection that is silent or does not read. */

export interface HeartbeatPeer {
  /** Bytes written that have not left the process. */
  readonly unsent: number
  sendHeartbeat(): void
  lost(): void
}

export class Heartbeat {
  readonly #peer: HeartbeatPeer
  #timer: NodeJS.Timeout | undefined
  #interval = 0
  #heardAt = Date.now()
  #unsentBefore = 0

  constructor(peer: HeartbeatPeer) {
    this.#peer = peer
  }

  /** Interval in milliseconds; 0 disables heartbeats. */
  start(interval: number): void {
    this.stop()
    this.#interval = interval
    this.heard()
    if (interval > 0) this.#timer = setInterval(() => this.#check(), interval)
  }

  /** A complete command arrived. Bytes alone do not count: a client could send an endless body. */
  heard(): void {
    this.#heardAt = Date.now()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #check(): void {
    const { unsent } = this.#peer
    const stuck = this.#unsentBefore > 0 && unsent >= this.#unsentBefore
    this.#unsentBefore = unsent
    // Two intervals, with tolerance for a timer that fires early.
    const silent = Date.now() - this.#heardAt > this.#interval * 1.9
    if (stuck || silent) this.#peer.lost()
    else this.#peer.sendHeartbeat()
  }
}
