/** What a client is told when it asks for something wrong: the codes of the protocol, and which of them end the connection. */

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

  /** `cause` is for the log of the operator; the client never sees it. */
  constructor(
    readonly code: ErrorCode,
    text = '',
    cause?: unknown,
  ) {
    super(text === '' ? code : `${code} ${text}`, { cause })
  }

  get fatal(): boolean {
    return !harmless.has(this.code)
  }
}

/** Answers about one message: the consumer was late or mistaken, and its connection goes on. */
const harmless: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['E_FIN_FAILED', 'E_REQ_FAILED', 'E_TOUCH_FAILED'])
