/**
 * Draws a QR code by its design. The input was checked before: readDesign() for the values, requireScannable() for what
 * they become together.
 */
import type { QrDesign } from './design.js'
import type { Drawing } from './drawing.js'
import { moduleMatrix } from './matrix.js'

export interface QrAssets {
  /** The bytes of `design.logo`: PNG, JPEG or SVG. */
  readonly logo?: { readonly bytes: Uint8Array; readonly mimeType: string }
}

/** Of ground colour on each side of the code; scanners need it (ISO/IEC 18004). */
export const quietZone = 4

export function drawQrCode(content: string, design: QrDesign, _assets: QrAssets = {}): Drawing {
  const matrix = moduleMatrix(content, design)
  const side = matrix.size + 2 * quietZone
  let dots = ''
  for (let y = 0; y < matrix.size; y++) {
    for (let x = 0; x < matrix.size; x++) {
      if (matrix.isDark(x, y)) dots += `M${x + quietZone} ${y + quietZone}h1v1h-1z`
    }
  }
  return {
    width: side,
    height: side,
    modules: matrix.size,
    shapes: [
      { path: `M0 0h${side}v${side}h-${side}z`, fill: design.backgroundColor },
      { path: dots, fill: design.dotPatternColor },
    ],
  }
}
