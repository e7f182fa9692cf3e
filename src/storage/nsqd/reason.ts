/** Why something on the network failed, in a few words: the code of what fetch wraps in "fetch failed". */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  // Several addresses of one name fail with one error each.
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0])
  if (cause instanceof DOMException && cause.name === 'TimeoutError') return 'no answer in time'
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code
  return cause instanceof Error ? cause.message : String(cause)
}
