import { useState } from 'react'
import { ApiError } from '../api/client.js'
import { texts } from '../texts/texts.js'
import { isUrl } from './is-url.js'
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

/** What an input has that the API would refuse; false where nothing is wrong. */
export type OwnChecks = Readonly<Record<string, string | false>>

/** The API names the first wrong field alone. Once it refused one, the form checks the others itself, while they are changed. */
export function useFieldErrors(error: Error | null, inputs: readonly string[], checks: OwnChecks): FieldErrors {
  const [isRefused, setRefused] = useState(false)
  const errors = fieldErrors(error, inputs)
  if (error && errors.other === undefined && !isRefused) setRefused(true)
  return { ...errors, of: (field) => errors.of(field) ?? ((isRefused && checks[field]) || undefined) }
}

/** An empty text is another question. */
export function wrongUrl(text: string): string | false {
  return text.trim() !== '' && !isUrl(text.trim()) && texts.errors.wrongUrl
}
