/**
 * The URL, or undefined if the text is none. Instead of `URL.parse`, which needs Node 22, and of `URL.canParse`: once Node 20
 * has optimized a caller of it, it refuses host names with letters such as ü.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
