export interface OddRequest {
  readonly path: string
  /** Without a token. */
  readonly query: string
}

export function oddRequests(
  document: unknown,
  options: { readonly seed: number; readonly rounds: number; readonly known: readonly string[] },
): Iterable<OddRequest>

/** Whether a response of the legacy API means a bug or an outage: in JSON, its HTTP status is 200 then, too. */
export function isInternalError(status: number, text: string): boolean
