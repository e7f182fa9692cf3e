/** At most so many requests under way from one address (v4 Limits 1). Counted in this process; 0: as many as they like. */
import { Refusal } from '../refusal.js'

export class Connections {
  readonly #most: number
  readonly #underWay = new Map<string, number>()
  refused = 0

  constructor(most: number) {
    this.#most = most
  }

  /** False where nothing is limited: then nobody needs to tell when a request ends. */
  get limited(): boolean {
    return this.#most > 0
  }

  /** Counts a request until `leave`; refused, it is not counted. */
  enter(address: string): void {
    const underWay = this.#underWay.get(address) ?? 0
    if (underWay >= this.#most) {
      this.refused += 1
      const message =
        `${this.#most} requests from your address are under way, which is all that are allowed at once. ` +
        'Wait for one of them to be answered.'
      const rate = { reason: 'concurrent connections', limit: this.#most, remaining: 0, resetAt: undefined }
      throw new Refusal('RATE_LIMIT_EXCEEDED', message, { rate, retryAfter: 1 })
    }
    this.#underWay.set(address, underWay + 1)
  }

  leave(address: string): void {
    const underWay = (this.#underWay.get(address) ?? 1) - 1
    if (underWay > 0) this.#underWay.set(address, underWay)
    else this.#underWay.delete(address)
  }
}
