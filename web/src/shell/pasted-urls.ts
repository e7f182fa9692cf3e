/** The URLs in a pasted text, in their order, each once: a URL alone, a list, or a column of a table. */
export function urlsIn(text: string): readonly string[] {
  const words = text.split(/\s+/).map((word) => word.replace(/^[<"'(]+|[>"'),;]+$/g, ''))
  const urls = words.filter((word) => /^https?:\/\/[^\s/?#]+/i.test(word))
  const isOneAmongWords = urls.length === 1 && words.filter((word) => word !== '').length > 1
  return isOneAmongWords ? [] : [...new Set(urls)]
}
