import type { Click, RawClick } from './click.js'

/** One of the steps that fill in a click (pipeline.ts has them in order); one that answers a reason drops it. */
export interface Step {
  readonly name: string
  readonly run: (raw: RawClick, click: Draft) => DropReason | undefined
}

/** A click while the steps fill it in. */
export type Draft = { -readonly [K in keyof Click]: Click[K] }

export type DropReason = 'malformed'
