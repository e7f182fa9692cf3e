/** A drawing as PDF for print: its shapes and gradients stay shapes; a logo becomes pixels. */
import type { Drawing, Picture, Shape } from '../../core/qr-design/drawing.js'
import { tidy } from '../../core/qr-design/paths.js'
import { PdfFile, type Reference } from './pdf-file.js'
import { PdfPaints } from './pdf-paints.js'
import { pdfPath } from './pdf-path.js'
import { renderPixels } from './png.js'

/** Points of a printer for each pixel of a screen. */
const pointsPerPixel = 72 / 96

/** `size` is the length of the longer side in pixels, of which 96 are an inch. */
export function toPdf(drawing: Drawing, size: number): Uint8Array {
  const scale = (size * pointsPerPixel) / Math.max(drawing.width, drawing.height)
  const [width, height] = [drawing.width * scale, drawing.height * scale].map(tidy)
  const file = new PdfFile()
  // Pages have their origin at the bottom.
  const matrix = `${fine(scale)} 0 0 ${fine(-scale)} 0 ${height}`
  const paints = new PdfPaints(file, matrix, drawing)
  const pictures: Reference[] = []
  const content = drawing.shapes.map((shape) => {
    if (!('bytes' in shape)) return painted(shape, paints)
    pictures.push(pixelsOf(file, shape))
    return placed(shape, pictures.length - 1)
  })
  const stream = file.stream('', Buffer.from([`${matrix} cm`, ...content].join('\n')))
  const images = pictures.map((picture, index) => `/I${index} ${picture}`).join('')
  const resources = `<<${paints.resources()}/XObject<<${images}>>>>`
  return file.bytes(`/MediaBox[0 0 ${width} ${height}]/Resources${resources}/Contents ${stream}`)
}

function painted(shape: Exclude<Shape, Picture>, paints: PdfPaints): string {
  const path = pdfPath(shape.path)
  if ('stroke' in shape) return `q ${paints.forLines(shape.stroke)} ${tidy(shape.width)} w 1 J 1 j\n${path}\nS Q`
  return `q ${paints.filled(path, shape.fill, shape.evenOdd)} Q`
}

/** A picture fills the square of one unit above the origin. */
function placed({ x, y, size }: Picture, index: number): string {
  return `q ${tidy(size)} 0 0 ${tidy(-size)} ${tidy(x)} ${tidy(y + size)} cm /I${index} Do Q`
}

/** Enough for a logo of 4 cm in print of 600 dots for each inch. */
const logoPixels = 1024

function pixelsOf(file: PdfFile, { bytes, mimeType }: Picture): Reference {
  const data = Buffer.from(bytes).toString('base64')
  const side = `width="${logoPixels}" height="${logoPixels}"`
  const { pixels } = renderPixels(
    `<svg xmlns="http://www.w3.org/2000/svg" ${side}><image ${side} href="data:${mimeType};base64,${data}"/></svg>`,
  )
  const count = logoPixels * logoPixels
  const colors = new Uint8Array(count * 3)
  const opacity = new Uint8Array(count)
  for (let at = 0; at < count; at++) {
    const alpha = pixels[at * 4 + 3] ?? 0
    opacity[at] = alpha
    for (let part = 0; part < 3 && alpha > 0; part++)
      colors[at * 3 + part] = Math.round(((pixels[at * 4 + part] ?? 0) * 255) / alpha)
  }
  const entries = `/Type/XObject/Subtype/Image/Width ${logoPixels}/Height ${logoPixels}/BitsPerComponent 8`
  const mask = file.stream(`${entries}/ColorSpace/DeviceGray`, opacity)
  return file.stream(`${entries}/ColorSpace/DeviceRGB/SMask ${mask}`, colors)
}

function fine(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
