const encoder = new TextEncoder()

/** As much of the beginning of a text as fits into so many bytes of UTF-8; no character is halved. */
export function cutTo(text: string, bytes: number): string {
  // At most three bytes a character: most texts need not be measured.
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(bytes)).read)
}
