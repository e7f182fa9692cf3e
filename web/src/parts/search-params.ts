/**
 * Reads what is in the URL: anybody can type anything there, so what does not fit counts as not set. It must be returned as
 * `undefined`: what a route leaves out stays as it was typed.
 */
export function text(value: unknown): string | undefined {
  // The router reads digits as a number.
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function list(value: unknown): readonly string[] | undefined {
  const values = (Array.isArray(value) ? value : [value]).flatMap((each) => text(each) ?? [])
  return values.length > 0 ? values : undefined
}

export function oneOf<Choice extends string>(choices: readonly Choice[], value: unknown): Choice | undefined {
  return choices.find((choice) => choice === value)
}

/** `YYYY-MM-DD`. */
export function day(value: unknown): string | undefined {
  // A year that is being typed is none yet.
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && value >= '1970' ? value : undefined
}
