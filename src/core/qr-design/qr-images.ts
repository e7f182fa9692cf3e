import type { QrDesign } from './design.js'
import type { QrAssets } from './draw.js'

export interface QrImageRequest {
  readonly content: string
  readonly design: QrDesign
  readonly logo?: QrAssets['logo']
  readonly format: 'svg' | 'png' | 'pdf'
  /** Pixels along the longer side. */
  readonly size: number
}

/** Pictures of QR codes. */
export interface QrImages {
  image(request: QrImageRequest): Promise<Uint8Array>
}
