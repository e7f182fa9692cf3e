/** Error frames: the codes of the protocol, and which of them close the connection. */

export type ErrorCode =
  | 'E_AUTH_DISABLED'
  | 'E_AUTH_FAILED'
  | 'E_AUTH_FIRST'
  | 'E_BAD_BODY'
  | 'E_BAD_CHANNEL'
  | 'E_BAD_MESSAGE'
  | 'E_BAD_PROTOCOL'
  | 'E_BAD_TOPIC'
  | 'E_DPUB_FAILED'
  | 'E_FIN_FAILED'
  | 'E_IDENTIFY_FAILED'
  | 'E_INVALID'
  | 'E_MPUB_FAILED'
  | 'E_PUB_FAILED'
  | 'E_REQ_FAILED'
  | 'E_SUB_FAILED'
  | 'E_TOUCH_FAILED'
  | 'E_UNAUTHORIZED'

export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'

  /** `cause` goes to the operator's log, never to the client. */
  constructor(
    readonly code: ErrorCode,
    text = '',
    cause?: unknown,
  ) {
    super(text === '' ? code : `${code} ${text}`, { cause })
  }

  get fatal(): boolean {
    return !nonFatal.has(this.code)
  }
}

/** Errors about a single message (answered late, or not owned); the connection stays open. */
const nonFatal: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['E_FIN_FAILED', 'E_REQ_FAILED', 'E_TOUCH_FAILED'])
