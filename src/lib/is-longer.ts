/** Counts characters as people and JSON Schema do (`maxLength`): an emoji is one, which JavaScript takes for two. */
export function isLonger(text: string, most: number): boolean {
  // Few texts need counting, and none that is long.
  if (text.length <= most) return false
  return text.length > 2 * most || [...text].length > most
}
