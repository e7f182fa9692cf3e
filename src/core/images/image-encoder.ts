import type { ImageType } from './image.js'

/**
 * Decodes a picture and encodes it again in the same format, so that only what is visible is left: no metadata, no
 * scripts, no bytes after the end. It runs apart from this process, since what it reads may be hostile.
 */
export interface ImageEncoder {
  encode(bytes: Uint8Array, type: ImageType): Promise<EncodeOutcome>
  /** A copy in pixels, for other pictures: JPEG of a JPEG, else PNG. No side is longer than `side`; an SVG has one of it. */
  draw(bytes: Uint8Array, type: ImageType, side: number): Promise<EncodeOutcome>
}

export type EncodeOutcome = EncodedImage | { readonly fault: ImageFault }

export interface EncodedImage {
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
}

/** Why a picture cannot be encoded. */
export type ImageFault =
  | 'broken'
  | 'too-many-pixels'
  | 'too-much-work'
  | 'too-large'
  | 'too-complex'
  | 'entities'
  | `element ${string}`

/** 4096 x 4096. */
export const maxPixels = 16 * 1024 * 1024

/** Of an uploaded file, and of an SVG that was written anew. */
export const maxImageBytes = 5 * 1024 * 1024
