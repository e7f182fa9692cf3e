/**
 * The watermark: every link created before it is visible. A link gets its timestamp before its transaction commits, so a
 * link can appear before links that were read already. Each poll passes the age of the oldest open transaction; this class
 * must not know where it comes from.
 *
 * No link can appear that is older than the start of the oldest open transaction minus `headStart`. Open transactions are
 * remembered for some polls, because one that was rolled back may be retried. This counts polls instead of time, so a
 * clock that jumps or a machine that slept does not end it early.
 */

/** Far longer than from a link's timestamp to its transaction, and than the clock skew between machines. */
const headStart = 30_000
/** Half a minute, at two polls per second. */
const pollsRemembered = 60
/**
 * Maximum wait for an open transaction. Links published in the meantime are kept in memory, which must not grow without
 * end.
 */
export const maxTransactionWait = 600_000

export class Watermark {
  /** Start of the oldest open transaction at each poll, or the time of the poll without one; newest last. */
  readonly #openSince: number[]

  /** Starts with the maximum delay, because earlier transactions are unknown. */
  constructor(now: number) {
    this.#openSince = [now - headStart]
  }

  /** The watermark, given how long the oldest transaction has been open. */
  update(now: number, openFor: number): number {
    this.#openSince.push(now - Math.min(openFor, maxTransactionWait))
    if (this.#openSince.length > pollsRemembered) this.#openSince.shift()
    return Math.min(...this.#openSince) - headStart
  }
}
