/** Topics that readers in this process want: the click thread publishes them although nobody outside may read them. */
import type { Closable } from '../lib/closing.js'

/** Sent again this often, because a restarted click thread does not know them. */
const repeatEvery = 30_000

/** Other processes forget the topics of a process that has ended after this time. */
export const heldFor = 3 * repeatEvery

export class HeldTopics implements Closable {
  readonly #refresh: (topics: readonly string[]) => Promise<void>
  readonly #readers = new Map<string, number>()
  readonly #timer: NodeJS.Timeout

  /** `refresh` gets all held topics; when it resolves, they are published. It never rejects. */
  constructor(refresh: (topics: readonly string[]) => Promise<void>) {
    this.#refresh = refresh
    this.#timer = setInterval(() => {
      if (this.#readers.size > 0) void this.refresh()
    }, repeatEvery).unref()
  }

  /** Call the result once the reader is gone. */
  async hold(topic: string): Promise<() => void> {
    const readers = this.#readers.get(topic) ?? 0
    this.#readers.set(topic, readers + 1)
    if (readers === 0) await this.refresh()
    let isHeld = true
    return () => {
      if (isHeld) this.#release(topic)
      isHeld = false
    }
  }

  refresh(): Promise<void> {
    return this.#refresh([...this.#readers.keys()])
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #release(topic: string): void {
    const left = (this.#readers.get(topic) ?? 1) - 1
    if (left > 0) this.#readers.set(topic, left)
    else this.#readers.delete(topic)
    if (left === 0) void this.refresh()
  }
}
