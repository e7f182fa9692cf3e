/** With --brief every case takes seconds and shows that it works. Its figures say nothing about speed. */
export const isBrief = process.argv.includes('--brief')

/** So many, or that long; the second value when the case only shows that it works. */
export function amount(full, brief) {
  return isBrief ? brief : full
}
