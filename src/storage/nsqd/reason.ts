/** A short reason for a network failure: the code of the cause that fetch wraps in "fetch failed". */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  // A host name with several IPs fails with one error for each.
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0])
  if (cause instanceof DOMException && cause.name === 'TimeoutError') return 'timeout'
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code
  return cause instanceof Error ? cause.message : String(cause)
}
