/** Why an outgoing request has no response. Everything else that the client throws is a bug. */
export type OutgoingReason =
  /** Blocked by the address guard, at first or after a redirect. */
  | 'forbidden_address'
  | 'dns'
  | 'tls'
  /** No connection, or it broke, or the answer was not HTTP. */
  | 'connect'
  | 'timeout'
  | 'too_large'
  | 'too_many_redirects'

export class OutgoingError extends Error {
  override readonly name = 'OutgoingError'

  constructor(
    readonly reason: OutgoingReason,
    message: string,
  ) {
    super(message)
  }
}

/** Network errors all have a code; anything else is returned unchanged. */
export function outgoingError(error: unknown): unknown {
  const code = codeOf(error)
  if (error instanceof OutgoingError || code === undefined) return error
  const text = error instanceof Error ? error.message : code
  return new OutgoingError(tlsCode.test(code) ? 'tls' : 'connect', text === '' ? code : text)
}

/** Codes of Node and of OpenSSL's certificate checks. */
const tlsCode =
  /^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|INVALID_|HOSTNAME_MISMATCH|ERROR_IN_CERT|CRL_|PATH_LENGTH)/

/** A pooled connection was reset before it brought a response: the request may be sent once more. */
export function isStaleConnection(error: unknown): boolean {
  return error instanceof Error && 'reused' in error && /^(?:ECONNRESET|EPIPE)$/.test(codeOf(error) ?? '')
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return typeof code === 'string' ? code : undefined
}
