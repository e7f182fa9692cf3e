/** A one-line progress bar. It knows neither the work nor the terminal. */
import type { Progress as CopyProgress } from '../core/copies/copy.js'

export class ProgressBar {
  readonly #unit: string
  #began: { readonly at: number; readonly done: number; readonly items: number } | undefined

  /** What is counted, in the plural: "lines". */
  constructor(unit: string) {
    this.#unit = unit
  }

  /** `at` in milliseconds; the first call starts the clock. */
  line({ done, of, items, amount }: Progress, at: number): string {
    this.#began ??= { at, done, items }
    const seconds = (at - this.#began.at) / 1000
    const speed = seconds > 0 ? Math.round((items - this.#began.items) / seconds) : 0
    const rate = `${speed} ${this.#unit}/s`
    if (of === undefined) return `${items} ${this.#unit}  ${rate}`
    const share = of > 0 ? Math.min(1, done / of) : 1
    const full = Math.round(share * width)
    const bar = '#'.repeat(full) + '-'.repeat(width - full)
    const donePerSecond = seconds > 0 ? (done - this.#began.done) / seconds : 0
    const left = donePerSecond > 0 ? duration((of - done) / donePerSecond) : '--:--'
    return `[${bar}] ${Math.floor(share * 100)} %  ${amount ?? items}  ${rate}  ${left} left`
  }
}

export interface Progress {
  readonly done: number
  /** Undefined: unknown, so there is no bar. */
  readonly of: number | undefined
  /** Counted for the speed. */
  readonly items: number
  /** How much is done, for people; the number of items by default. */
  readonly amount?: string
}

const width = 24

/** Of a step of a copy: `Exporting clicks: 3 of 4 (75 %)`. */
export function progressLine(doing: string, { what, done, of }: CopyProgress<string>): string {
  const step = what === 'checking' ? 'Checking files' : `${doing} ${what}`
  if (done === undefined || of === undefined) return done === undefined ? step : `${step}: ${done}`
  return `${step}: ${done} of ${of} (${Math.floor((100 * done) / Math.max(1, of))} %)`
}

export function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, '0'))
  const hours = Math.floor(whole / 3600)
  return [...(hours > 0 ? [String(hours)] : []), ...parts].join(':')
}
