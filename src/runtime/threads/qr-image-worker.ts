/** Renders pictures of QR codes: a large PNG keeps a core busy for tenths of a second, and redirects must not wait for it. */
import { toPdf } from '../../storage/qr-images/pdf.js'
import { renderPng } from '../../storage/qr-images/png.js'

const methods = { png: renderPng, pdf: toPdf }

export type QrImageThreadMethods = typeof methods

export function serve(): QrImageThreadMethods {
  return methods
}
