import { ApiError } from '../api/client.js'
import { errorText } from './Problem.js'

export interface FieldErrors {
  /** The error of one input, by the API's name of it. */
  of(field: string): string | undefined
  /** What belongs to no input of the form. */
  readonly other: string | undefined
}

// These name no field, though there is one to blame.
const fieldOfCode: Readonly<Record<string, string>> = { KEYWORD_UNAVAILABLE: 'keyword' }

export function fieldErrors(error: Error | null, inputs: readonly string[]): FieldErrors {
  const named =
    error instanceof ApiError ? (error.fields[0]?.field.split('.')[0] ?? fieldOfCode[error.code]) : undefined
  const place = named !== undefined && inputs.includes(named) ? named : undefined
  return {
    of: (field) => (error && field === place ? errorText(error) : undefined),
    other: error && place === undefined ? errorText(error) : undefined,
  }
}
