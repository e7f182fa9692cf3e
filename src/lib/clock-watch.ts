/**
 * Notices that the clock was set: the time of day moved, the steady clock of the machine did not. A machine that slept looks
 * the same. Clicks and links keep the times that they got.
 */
export interface ClockJump {
  /** Milliseconds; negative if the clock went back. */
  readonly by: number
  /** By the clock after the jump. */
  readonly at: number
}

/** Smaller corrections are usual, and change no report. */
const largestCorrection = 60_000
const checkEvery = 10_000
/** Long enough to be noticed. */
const shownFor = 60 * 60_000

export class ClockWatch {
  readonly #onJump: (jump: ClockJump) => void
  readonly #day: () => number
  readonly #steady: () => number
  readonly #timer: NodeJS.Timeout
  #offset: number
  #jump: (ClockJump & { readonly steadyAt: number }) | undefined

  constructor(onJump: (jump: ClockJump) => void, day = () => Date.now(), steady = () => performance.now()) {
    this.#onJump = onJump
    this.#day = day
    this.#steady = steady
    this.#offset = day() - steady()
    this.#timer = setInterval(() => this.check(), checkEvery).unref()
  }

  /** The last jump; undefined an hour later. */
  get jump(): ClockJump | undefined {
    return this.#jump && this.#steady() - this.#jump.steadyAt < shownFor ? this.#jump : undefined
  }

  check(): void {
    const at = this.#day()
    const steadyAt = this.#steady()
    const by = at - steadyAt - this.#offset
    this.#offset = at - steadyAt
    if (Math.abs(by) <= largestCorrection) return
    this.#jump = { by, at, steadyAt }
    this.#onJump({ by, at })
  }

  close(): void {
    clearInterval(this.#timer)
  }
}

/** For people. */
export function jumpText({ by, at }: ClockJump): string {
  const seconds = Math.abs(by) / 1000
  const unit = seconds >= 172_000 ? ([86_400, 'days'] as const) : ([60, 'minutes'] as const)
  const size = `${Math.round(seconds / unit[0])} ${unit[1]}`
  return `it went ${by > 0 ? 'ahead' : 'back'} by ${size} at ${new Date(at).toISOString()}. Clicks and links keep the times they got before.`
}
