/** A line for the log, which only the main thread writes. */
export interface LogReport {
  readonly type: 'log'
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

export type Warn = (fields: LogReport['fields'], message: string) => void
