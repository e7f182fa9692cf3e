/**
 * What others wrote (a label, a name, a user agent), for a terminal: control characters and those that turn the writing
 * direction would be commands to it. They become `\u001b`, which in JSON is the same text. Line ends and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(
    /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
