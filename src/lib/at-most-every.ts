/**
 * Asks at most once in so many milliseconds, however many call: those in between get the same answer, and so do those
 * who come while it is being found.
 */
export function atMostEvery<T>(
  milliseconds: number,
  ask: () => Promise<T>,
  now = () => performance.now(),
): () => Promise<T> {
  let answer: Promise<T> | undefined
  let askedAt = 0
  let underWay = false
  return () => {
    if (answer !== undefined && (underWay || now() - askedAt < milliseconds)) return answer
    askedAt = now()
    underWay = true
    answer = ask().finally(() => {
      underWay = false
    })
    return answer
  }
}
