/** Calls the function at most once per interval. Calls in between, and while one is running, share its result. */
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
