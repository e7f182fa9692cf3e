const encoder = new TextEncoder()

/** Truncates a text to this many bytes of UTF-8 without splitting a character. */
export function cutTo(text: string, bytes: number): string {
  // A UTF-16 unit takes at most three bytes, so most texts need no measuring.
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(bytes)).read)
}
