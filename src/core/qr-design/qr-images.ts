import type { QrDesign } from './design.js'
import type { QrAssets } from './draw.js'

export interface QrImageRequest {
  readonly content: string
  readonly design: QrDesign
  /** Asked only when the picture must be drawn. */
  readonly assets?: () => Promise<QrAssets>
  readonly format: 'svg' | 'png' | 'pdf'
  /** Pixels along the longer side. */
  readonly size: number
}

/** Pictures of QR codes. */
export interface QrImages {
  image(request: QrImageRequest): Promise<Uint8Array>
  /** Of a content that is not kept: it leaves nothing behind. */
  staticImage(request: QrImageRequest): Promise<Uint8Array>
}
