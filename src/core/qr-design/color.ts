/** Colours as designs write them, and how much two of them differ for the eye of a scanner. */
import { invalid, quoted } from '../values/refusal.js'

const hex = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/

/** `#RGB`, `#RGBA`, `#RRGGBB` or `#RRGGBBAA` -> `#rrggbb`, or `#rrggbbaa` where one can see through it. */
export function readColor(text: string, field: string): string {
  const color = text.toLowerCase()
  if (!hex.test(color)) throw invalid(field, `${quoted(text)} is not a colour such as #1a2b3c or #1a2b3c80.`)
  const long = color.length > 5 ? color : `#${[...color.slice(1)].map((digit) => digit + digit).join('')}`
  return long.length === 9 && long.endsWith('ff') ? long.slice(0, 7) : long
}
