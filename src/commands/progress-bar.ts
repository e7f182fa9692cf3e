/** A one-line progress bar. It knows neither the work nor the terminal. */
export class ProgressBar {
  #began: { readonly at: number; readonly done: number; readonly lines: number } | undefined

  /** `at` in milliseconds; the first call starts the clock. */
  line({ done, of, lines }: Progress, at: number): string {
    this.#began ??= { at, done, lines }
    const seconds = (at - this.#began.at) / 1000
    const share = of > 0 ? Math.min(1, done / of) : 1
    const full = Math.round(share * width)
    const bar = '#'.repeat(full) + '-'.repeat(width - full)
    const speed = seconds > 0 ? Math.round((lines - this.#began.lines) / seconds) : 0
    const bytesPerSecond = seconds > 0 ? (done - this.#began.done) / seconds : 0
    const left = bytesPerSecond > 0 ? duration((of - done) / bytesPerSecond) : '--:--'
    const figures = `${Math.floor(share * 100)} %  ${megabytes(done)} of ${megabytes(of)} MB`
    return `[${bar}] ${figures}  ${speed} lines/s  ${left} left`
  }
}

export interface Progress {
  readonly done: number
  readonly of: number
  /** Lines processed, for the speed. */
  readonly lines: number
}

const width = 24

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, '0'))
  const hours = Math.floor(whole / 3600)
  return [...(hours > 0 ? [String(hours)] : []), ...parts].join(':')
}
