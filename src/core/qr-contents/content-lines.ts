/**
 * Lines of vCards and calendars, which share their escapes (RFC 2426, RFC 5545). They are not folded: it is not required,
 * costs room, and simple scanners do not unfold.
 */
export function lines(...all: readonly (readonly string[])[]): string {
  return all.flatMap((each) => each.map((text) => `${text}\r\n`)).join('')
}

/** None for a value that is left out. */
export function line(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [`${name}:${value}`]
}

export function textLine(name: string, text: string | undefined): readonly string[] {
  return line(name, text === undefined ? undefined : escaped(text))
}

export function escaped(text: string): string {
  return text.replace(/[\\;,]/g, '\\$&').replaceAll(/\r\n?|\n/g, '\\n')
}
