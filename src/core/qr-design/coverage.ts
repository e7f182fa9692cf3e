/** How much of a code is lost behind a logo or a text. */
import type { Box } from './drawing.js'
import type { Matrix } from './matrix.js'

/**
 * Of all codewords, when each that has a module in the box is lost. The highest error correction repairs 30 percent; what
 * is left must be worth twice the lowest, which repairs 7: with a fifth covered, zbar missed one picture in two thousand.
 */
export const mostCovered = 0.14

/** The share of the codewords with a module in the box: they go down and up in columns of two, from the right. */
export function coveredShare({ size, isFixed }: Matrix, box: Box): number {
  const covered = new Set<number>()
  let modules = 0
  let isUpwards = true
  for (let column = size - 1; column > 0; column -= 2) {
    // One column holds no data at all (timing), and is left out.
    if (column === 6) column--
    for (let step = 0; step < size; step++) {
      const y = isUpwards ? size - 1 - step : step
      for (const x of [column, column - 1]) {
        if (isFixed(x, y)) continue
        if (x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height) covered.add(modules >> 3)
        modules++
      }
    }
    isUpwards = !isUpwards
  }
  const codewords = Math.floor(modules / 8)
  // A few modules may be left over that hold nothing.
  covered.delete(codewords)
  return covered.size / codewords
}
