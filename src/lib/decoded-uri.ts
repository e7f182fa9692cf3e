/** Without percent-encoding; a text that is not the encoding of UTF-8 stays as it is. */
export function decodedUri(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
