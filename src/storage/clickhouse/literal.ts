/**
 * Texts and names as SQL. Everything that comes from outside and ends up in a statement goes through here: a literal has
 * no quote, backslash or control character left that the server could read as anything but text.
 */

/** A string literal. Half of a surrogate pair becomes U+FFFD, as it does where texts are stored. */
export function literal(text: string): string {
  return `'${wellFormed(text).replace(special, escaped)}'`
}

/** A database, table or cluster by name. */
export function identifier(name: string): string {
  if (!/^[\w-]{1,100}$/.test(name)) throw new Error(`"${name}" is no name of a database, a table or a cluster`)
  return `\`${name}\``
}

/** Text that UTF-8 can carry: what has no partner becomes U+FFFD. */
export function wellFormed(text: string): string {
  return lone.test(text) ? Buffer.from(text).toString() : text
}

// With the flag u, a surrogate matches only where it has no partner.
const lone = /\p{Surrogate}/u
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get through
const special = /[\\'\u0000-\u001f\u007f]/g

function escaped(character: string): string {
  if (character === '\\' || character === "'") return `\\${character}`
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}
