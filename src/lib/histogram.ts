/** Counts durations in buckets, for percentiles over many processes. Cheap enough for every request. */
export class Histogram {
  /** In seconds; one more bucket counts what is longer. */
  static readonly bounds: readonly number[] = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]
  readonly counts: number[] = Array(Histogram.bounds.length + 1).fill(0)
  /** Called with each duration, in milliseconds. */
  onObserve: ((milliseconds: number) => void) | undefined
  #sum = 0

  get sum(): number {
    return this.#sum
  }

  /** Takes milliseconds, as `performance.now()` has them. */
  observe(milliseconds: number): void {
    const seconds = milliseconds / 1000
    const { bounds } = Histogram
    let bucket = 0
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket++
    this.counts[bucket] = (this.counts[bucket] as number) + 1
    this.#sum += seconds
    this.onObserve?.(milliseconds)
  }
}
