/** Counts code points like JSON Schema's `maxLength`: an emoji counts as one, although `length` says two. */
export function isLonger(text: string, most: number): boolean {
  // `length` is never smaller than the count, so few texts need counting.
  if (text.length <= most) return false
  return text.length > 2 * most || [...text].length > most
}
