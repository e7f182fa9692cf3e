/** The formats of pictures of QR codes, with their media types. */
import type { Picture } from '../../../core/qr-codes/image.js'

export type PictureFormat = Picture['format']

export const pictureTypes: Readonly<Record<PictureFormat, string>> = {
  svg: 'image/svg+xml',
  png: 'image/png',
  pdf: 'application/pdf',
}

export const pictureFormats = Object.keys(pictureTypes) as readonly PictureFormat[]

export function dataUri(format: PictureFormat, bytes: Uint8Array): string {
  return `data:${pictureTypes[format]};base64,${Buffer.from(bytes).toString('base64')}`
}
