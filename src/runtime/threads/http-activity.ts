/**
 * What the click thread must know of the HTTP thread at once, in shared memory: that it wrote clicks, and how busy it is. On a
 * small machine both share the cores, and redirects matter more than counting clicks at once. Without clicks nothing runs.
 */
import { performance } from 'node:perf_hooks'

const lookEvery = 200
/** What was seen longer ago than this says nothing. */
const validFor = 1_000
const highFrom = 80

// The shared cells.
const writes = 0
const percent = 1
const seenAt = 2
const othersBusyAt = 3

export class HttpActivity {
  readonly shared: SharedArrayBuffer
  readonly #cells: Int32Array
  #lookedAt = performance.now()
  #before = performance.eventLoopUtilization()

  constructor(shared = new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared
    this.#cells = new Int32Array(shared)
  }

  /** Called in the HTTP thread after every row of the journal. */
  readonly wrote = (): void => {
    Atomics.add(this.#cells, writes, 1)
    Atomics.notify(this.#cells, writes)
    const now = performance.now()
    if (now - this.#lookedAt < lookEvery) return
    this.#lookedAt = now
    const used = performance.eventLoopUtilization()
    Atomics.store(
      this.#cells,
      percent,
      Math.round(performance.eventLoopUtilization(used, this.#before).utilization * 100),
    )
    Atomics.store(this.#cells, seenAt, lowBits(Date.now()))
    this.#before = used
  }

  /** Called in the HTTP thread after other processes wrote rows; with how busy theirs is, in percent. */
  readonly othersWrote = (used: number): void => {
    Atomics.add(this.#cells, writes, 1)
    Atomics.notify(this.#cells, writes)
    if (used >= highFrom) Atomics.store(this.#cells, othersBusyAt, lowBits(Date.now()))
  }

  /** Called in the click thread, as everything below. Changes with every row. */
  get writes(): number {
    return Atomics.load(this.#cells, writes)
  }

  /** Calls back once something was written after `seen`; forgets it after some milliseconds. */
  onWriteAfter(seen: number, wake: () => void, milliseconds: number): void {
    const { async, value } = Atomics.waitAsync(this.#cells, writes, seen, milliseconds)
    if (async) void value.then(wake)
    else wake()
  }

  isBusy(): boolean {
    const isRecent = (cell: number) => {
      const age = lowBits(Date.now() - Atomics.load(this.#cells, cell))
      return age >= 0 && age < validFor
    }
    return (isRecent(seenAt) && Atomics.load(this.#cells, percent) >= highFrom) || isRecent(othersBusyAt)
  }
}

/** A time as a cell can hold it; differences stay right. */
function lowBits(time: number): number {
  return time | 0
}
