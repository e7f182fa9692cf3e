/** An error the operator can fix: prints one clear sentence without a stack and exits non-zero. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'

  constructor(
    message: string,
    /** 1: the command failed; 2: the command line or the configuration is invalid. */
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message)
  }
}

/**
 * A dependency is missing or damaged and can be repaired while the service runs: the service starts without it and
 * retries.
 */
export class UnavailableError extends OperatorError {
  override readonly name = 'UnavailableError'
}
