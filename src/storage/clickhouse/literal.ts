/**
 * SQL literals and identifiers. All external text in a statement goes through this file: a literal contains no
 * unescaped quote, backslash or control character.
 */

/** A string literal. A lone surrogate becomes U+FFFD, as in stored texts. */
export function literal(text: string): string {
  return `'${wellFormed(text).replace(special, escaped)}'`
}

/** A database, table or cluster name. */
export function identifier(name: string): string {
  if (!/^[\w-]{1,100}$/.test(name)) throw new Error(`Invalid database, table or cluster name: "${name}"`)
  return `\`${name}\``
}

/** Replaces lone surrogates by U+FFFD, because UTF-8 cannot encode them. */
export function wellFormed(text: string): string {
  return lone.test(text) ? Buffer.from(text).toString() : text
}

// With the u flag, only a lone surrogate matches.
const lone = /\p{Surrogate}/u
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are escaped here
const special = /[\\'\u0000-\u001f\u007f]/g

function escaped(character: string): string {
  if (character === '\\' || character === "'") return `\\${character}`
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}
