/** The modules of a QR code. */
import { create } from 'qrcode'
import { Refusal } from '../values/refusal.js'
import type { QrDesign } from './design.js'

export interface Matrix {
  /** Modules along one side. */
  readonly size: number
  isDark(x: number, y: number): boolean
}

const levels = ['L', 'M', 'Q', 'H'] as const

/** Refuses a content that is longer than a code with this error correction can hold. */
export function moduleMatrix(content: string, design: QrDesign): Matrix {
  const errorCorrectionLevel = levels[levelOf(design) - 1] ?? 'H'
  const { modules } = encoded(content, errorCorrectionLevel)
  const { size, data } = modules
  return { size, isDark: (x, y) => data[y * size + x] === 1 }
}

/** What covers the centre hides modules, which the highest level makes up for. */
function levelOf({ specSettings, logo, text }: QrDesign): number {
  return logo || text.center ? 4 : specSettings.errorCorrection
}

function encoded(content: string, errorCorrectionLevel: (typeof levels)[number]) {
  try {
    return create(content, { errorCorrectionLevel })
  } catch {
    throw new Refusal(
      'UNPROCESSABLE_ENTITY',
      'The content does not fit into a QR code. Shorten it, or lower the error correction; a logo or a text in the centre leaves less room.',
      { field: 'content' },
    )
  }
}
