/** A failure the operator can do something about: one clear sentence, a non-zero exit, no stack. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'

  constructor(
    message: string,
    /** 1: it did not work; 2: the command line or the configuration is wrong. */
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message)
  }
}

/** Something is away or damaged that can be mended while the service runs: it starts without, and tries again. */
export class UnavailableError extends OperatorError {
  override readonly name = 'UnavailableError'
}
