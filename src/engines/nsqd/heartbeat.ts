/** Signs of life of one connection: a beat at each interval, and the end for one that has gone silent or does not read. */

export interface Patient {
  /** Bytes that were written and have not left the process. */
  readonly unsent: number
  beat(): void
  lost(): void
}

export class Heartbeat {
  readonly #patient: Patient
  #timer: NodeJS.Timeout | undefined
  #interval = 0
  #heardAt = Date.now()
  #unsentBefore = 0

  constructor(patient: Patient) {
    this.#patient = patient
  }

  /** In milliseconds; 0 means that nobody looks. */
  start(interval: number): void {
    this.stop()
    this.#interval = interval
    this.heard()
    if (interval > 0) this.#timer = setInterval(() => this.#check(), interval)
  }

  /** A whole command has come. Bytes alone are no sign of life: a body may be sent for ever. */
  heard(): void {
    this.#heardAt = Date.now()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #check(): void {
    const { unsent } = this.#patient
    const stuck = this.#unsentBefore > 0 && unsent >= this.#unsentBefore
    this.#unsentBefore = unsent
    // Two intervals; a timer that fires a little early must not make it three.
    const silent = Date.now() - this.#heardAt > this.#interval * 1.9
    if (stuck || silent) this.#patient.lost()
    else this.#patient.beat()
  }
}
