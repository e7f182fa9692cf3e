/** Pictures of QR codes in the format that is asked for. PNG is rendered in another thread, so redirects do not wait for it. */
import { drawQrCode } from '../../core/qr-design/draw.js'
import type { QrImageRequest, QrImages } from '../../core/qr-design/qr-images.js'
import { requireReadableSize } from '../../core/qr-design/scannable.js'
import { toSvg } from '../../core/qr-design/svg.js'

export class RenderedQrImages implements QrImages {
  async image({ content, design, logo, format, size }: QrImageRequest): Promise<Uint8Array> {
    const drawing = drawQrCode(content, design, logo && { logo })
    if (format === 'pdf') return (await import('./pdf.js')).toPdf(drawing, size)
    const svg = toSvg(drawing, size)
    if (format === 'svg') return Buffer.from(svg)
    requireReadableSize(drawing, size)
    // Loaded when first needed: most services start more often than they draw a code.
    const { renderAsync } = await import('@resvg/resvg-js')
    const rendered = await renderAsync(svg, { font: { loadSystemFonts: false } })
    return rendered.asPng()
  }
}
