/** A progress bar on a terminal; elsewhere a line every few seconds. */
import type { LinkSource } from '../core/imports/imported-link.js'
import type { CommandContext } from './command.js'
import { megabytes, ProgressBar } from './progress-bar.js'

export interface MeterOptions {
  readonly context: CommandContext
  readonly source: LinkSource
  readonly isApi: boolean
}

export class Meter {
  readonly #context: CommandContext
  readonly #source: LinkSource
  readonly #unit: 'links' | 'clicks'
  readonly #bar: ProgressBar
  /** An API needs minutes for what a file has in a second: it is asked how far it is. */
  readonly #timer: NodeJS.Timeout | undefined
  #told = performance.now()

  constructor({ context, source, isApi }: MeterOptions, unit: 'links' | 'clicks') {
    this.#context = context
    this.#source = source
    this.#unit = unit
    this.#bar = new ProgressBar(isApi ? 'links' : unit)
    if (isApi) this.#timer = setInterval(() => this.#tick(), 1000)
  }

  show(items: number): void {
    if (this.#timer) return
    const { done, of } = this.#source.progress()
    const isBytes = of !== undefined && of > 100 * items && of > 1_000_000
    this.#draw(items, isBytes ? `${megabytes(done)} of ${megabytes(of)} MB` : `${items} ${this.#unit}`)
  }

  clear(): void {
    clearInterval(this.#timer)
    this.#context.draw('')
  }

  /** Also the clicks of an API are read link by link. */
  #tick(): void {
    const { done } = this.#source.progress()
    this.#draw(done, this.#unit === 'links' ? `${done} links` : `clicks of ${done} links`)
  }

  #draw(items: number, amount: string): void {
    const { done, of } = this.#source.progress()
    const now = performance.now()
    const line = this.#bar.line({ done, of, items, amount }, now)
    this.#context.draw(line)
    if (this.#context.terminal || now - this.#told < tellInterval) return
    this.#told = now
    this.#context.note(line)
  }
}

const tellInterval = 5_000
