/**
 * Escapes control characters and bidi overrides in text from users (labels, names, user agents), because a terminal
 * would obey them. They become `\u001b`, which is the same text in JSON. Line ends and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(
    /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
