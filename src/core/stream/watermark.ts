/**
 * Up to which moment everything is there. A link gets its time before it is written, so that one can appear behind others
 * that were read before it. It is told at every look what is still being written, and must not know where nor by whom.
 *
 * Nothing older can follow than the beginning of the oldest change that is open, less what passes between a link's time
 * and that beginning. That a change was open is remembered for a while: one that was undone may be tried again. The while
 * is counted in looks and not by the clock, so that a clock that is set forward, or a machine that slept, ends nothing.
 */

/** Our choice: far more than it takes from a link's time to its transaction, and than clocks of machines differ. */
const headStart = 30_000
/** Our choice: half a minute, at two looks a second. */
const looksRemembered = 60
/**
 * Our choice: so long is waited for a change. What was told of meanwhile is kept in memory, and a change that never ends
 * must not keep all of it for ever.
 */
export const longestWait = 600_000

export class Watermark {
  /** The moments since which something was open, or the look itself where nothing was; the newest last. */
  readonly #open: number[]

  /** Of the time before it began nothing is known: it waits as if it had looked all along. */
  constructor(now: number) {
    this.#open = [now - headStart]
  }

  /** Before this moment nothing can appear any more, given for how long the oldest change has been open. */
  look(now: number, openFor: number): number {
    this.#open.push(now - Math.min(openFor, longestWait))
    if (this.#open.length > looksRemembered) this.#open.shift()
    return Math.min(...this.#open) - headStart
  }
}
