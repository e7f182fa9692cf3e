import { isUnavailable } from './unavailable.js'

/**
 * Lets callers that come in the same event-loop turn share one run, as they would share one commit. A lone caller waits
 * for the end of its turn and no longer. When a shared run fails, each of its items is tried on its own, so that
 * nobody fails because of a neighbour; unless the database is away, which is nobody's own fault.
 */
export function inBatches<Item, Answer>(
  run: (items: readonly Item[]) => Promise<readonly Answer[]>,
  limits: BatchLimits,
): (item: Item) => Promise<Answer> {
  const waiting: Waiting<Item, Answer>[] = []
  let running = 0
  let scheduled = false

  function schedule(): void {
    if (scheduled || waiting.length === 0 || running >= limits.parallel) return
    scheduled = true
    setImmediate(start)
  }

  function start(): void {
    scheduled = false
    while (waiting.length > 0 && running < limits.parallel) {
      running += 1
      void answer(waiting.splice(0, limits.size)).finally(() => {
        running -= 1
        schedule()
      })
    }
  }

  // Never rejects: whatever goes wrong is told to the callers.
  async function answer(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await run(batch.map(({ item }) => item))
      if (answers.length !== batch.length) throw new Error(`a batch of ${batch.length} gave ${answers.length} answers`)
      for (const [index, value] of answers.entries()) batch[index]?.resolve(value)
    } catch (error) {
      if (batch.length === 1 || isUnavailable(error)) for (const { reject } of batch) reject(error)
      else await Promise.all(batch.map((one) => answer([one])))
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      schedule()
    })
}

export interface BatchLimits {
  /** How many items one run may hold. */
  readonly size: number
  /** How many runs may be under way at once; the next turn's callers wait and gather meanwhile. */
  readonly parallel: number
}

interface Waiting<Item, Answer> {
  readonly item: Item
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}
