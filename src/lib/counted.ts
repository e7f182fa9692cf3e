/** A number with its noun: `1 second`, `2 seconds`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
