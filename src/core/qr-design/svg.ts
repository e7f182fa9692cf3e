/** A drawing as SVG. */
import type { Box, Drawing, Paint, Picture, Shape } from './drawing.js'
import { rectangle, tidy } from './paths.js'

/** `size` is the length of the longer side in pixels; without it, the picture takes the room it is given. */
export function toSvg(drawing: Drawing, size?: number): string {
  const { x, y, width, height, attributes } = size === undefined ? wholeDrawing(drawing) : inPixels(drawing, size)
  const gradients = new Map<Paint, string>()
  const isLarger = width > drawing.width || height > drawing.height
  const margin = isLarger
    ? [{ path: aroundDrawing(drawing, { x, y, width, height }), fill: drawing.ground, evenOdd: true }]
    : []
  const body = [...margin, ...drawing.shapes].map((shape) => element(shape, gradients)).join('')
  const defs = [...gradients].map(([paint, id]) => definition(paint, id)).join('')
  const view = [x, y, width, height].map(tidy).join(' ')
  return `<svg xmlns="http://www.w3.org/2000/svg"${attributes} viewBox="${view}">${defs && `<defs>${defs}</defs>`}${body}</svg>`
}

interface View extends Box {
  readonly attributes: string
}

function wholeDrawing({ width, height }: Drawing): View {
  return { x: 0, y: 0, width, height, attributes: '' }
}

/** Modules are whole pixels where they are large enough to be scanned, and the rest is margin: edges are sharp. */
function inPixels({ width, height, origin }: Drawing, size: number): View {
  const exact = size / Math.max(width, height)
  const scale = exact < 3 ? exact : Math.floor(exact)
  const rest = size - scale * Math.max(width, height)
  const [wide, high] = [Math.round(width * scale + rest), Math.round(height * scale + rest)]
  const begin = (first: number) => (exact < 3 ? 0 : first - Math.round(first * scale + rest / 2) / scale)
  return {
    x: begin(origin[0]),
    y: begin(origin[1]),
    width: wide / scale,
    height: high / scale,
    attributes: ` width="${wide}" height="${high}"`,
  }
}

/** A little of it lies under the drawing, so that no gap can be seen; not where one could look through. */
function aroundDrawing({ width, height, ground }: Drawing, view: Box): string {
  const isOpaque =
    typeof ground === 'string' ? ground.length === 7 : ground.stops.every(({ color }) => color.length === 7)
  const hole = { x: 0, y: 0, width, height }
  return isOpaque ? rectangle(view) : rectangle(view) + rectangle(hole)
}

function element(shape: Shape, gradients: Map<Paint, string>): string {
  if ('bytes' in shape) return image(shape)
  if ('stroke' in shape) {
    const line = `stroke-width="${tidy(shape.width)}" stroke-linecap="round" stroke-linejoin="round"`
    return `<path fill="none"${painted('stroke', shape.stroke, gradients)} ${line} d="${shape.path}"/>`
  }
  const rule = shape.evenOdd ? ' fill-rule="evenodd"' : ''
  return `<path${painted('fill', shape.fill, gradients)}${rule} d="${shape.path}"/>`
}

/** In an element of its own, which cuts off what a logo draws outside of its square. */
function image({ bytes, mimeType, x, y, size }: Picture): string {
  const data = Buffer.from(bytes).toString('base64')
  const square = `width="${tidy(size)}" height="${tidy(size)}"`
  return `<svg x="${tidy(x)}" y="${tidy(y)}" ${square}><image ${square} href="data:${mimeType};base64,${data}"/></svg>`
}

function painted(attribute: 'fill' | 'stroke', paint: Paint, gradients: Map<Paint, string>): string {
  if (typeof paint === 'string') return ` ${attribute}="${paint.slice(0, 7)}"${opacity(`${attribute}-opacity`, paint)}`
  const id = gradients.get(paint) ?? `g${gradients.size}`
  gradients.set(paint, id)
  return ` ${attribute}="url(#${id})"`
}

function definition(paint: Paint, id: string): string {
  if (typeof paint === 'string') return ''
  const stops = paint.stops
    .map(
      ({ color, offset }) =>
        `<stop offset="${tidy(offset)}" stop-color="${color.slice(0, 7)}"${opacity('stop-opacity', color)}/>`,
    )
    .join('')
  const common = `id="${id}" gradientUnits="userSpaceOnUse"`
  if ('radius' in paint) {
    const [x, y] = paint.center
    return `<radialGradient ${common} cx="${tidy(x)}" cy="${tidy(y)}" r="${tidy(paint.radius)}">${stops}</radialGradient>`
  }
  const [x1, y1, x2, y2] = [...paint.from, ...paint.to].map(tidy)
  return `<linearGradient ${common} x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}">${stops}</linearGradient>`
}

/** Apart from the colour: older programs do not read `#rrggbbaa`. */
function opacity(attribute: string, color: string): string {
  return color.length === 9 ? ` ${attribute}="${tidy(Number.parseInt(color.slice(7), 16) / 255)}"` : ''
}
