/** Core never asks the machine for the time: it is handed a clock, and tests hand it their own. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }
