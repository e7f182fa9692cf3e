/** Messages of one topic, in order. */
export type Batch = readonly [topic: string, messages: readonly Buffer[]]

/** Collects messages by topic. */
export class Batches {
  readonly #byTopic = new Map<string, Buffer[]>()

  add(topic: string, message: Buffer): void {
    const messages = this.#byTopic.get(topic)
    if (messages) messages.push(message)
    else this.#byTopic.set(topic, [message])
  }

  get all(): readonly Batch[] {
    return [...this.#byTopic]
  }
}
