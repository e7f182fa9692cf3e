/** A drawing as SVG. */
import type { Drawing, Paint, Picture, Shape } from './drawing.js'

/** `size` is the length of the longer side in pixels; without it, the picture takes the room it is given. */
export function toSvg(drawing: Drawing, size?: number): string {
  const { width, height } = drawing
  const scale = size === undefined ? undefined : size / Math.max(width, height)
  const pixels = scale === undefined ? '' : ` width="${tidy(width * scale)}" height="${tidy(height * scale)}"`
  const definitions: string[] = []
  const body = drawing.shapes.map((shape) => element(shape, definitions)).join('')
  const defs = definitions.length === 0 ? '' : `<defs>${definitions.join('')}</defs>`
  return `<svg xmlns="http://www.w3.org/2000/svg"${pixels} viewBox="0 0 ${tidy(width)} ${tidy(height)}">${defs}${body}</svg>`
}

function element(shape: Shape, definitions: string[]): string {
  if ('bytes' in shape) return image(shape)
  const rule = shape.evenOdd ? ' fill-rule="evenodd"' : ''
  return `<path${fill(shape.fill, definitions)}${rule} d="${shape.path}"/>`
}

function image({ bytes, mimeType, x, y, size }: Picture): string {
  const data = Buffer.from(bytes).toString('base64')
  return `<image x="${tidy(x)}" y="${tidy(y)}" width="${tidy(size)}" height="${tidy(size)}" href="data:${mimeType};base64,${data}"/>`
}

function fill(paint: Paint, definitions: string[]): string {
  if (typeof paint === 'string') return colorAs('fill', paint)
  const id = `g${definitions.length}`
  const stops = paint.stops.map(
    ({ color, offset }) => `<stop offset="${tidy(offset)}"${colorAs('stop', color, '-color')}/>`,
  )
  const [name, place] =
    'from' in paint
      ? [
          'linearGradient',
          `x1="${tidy(paint.from[0])}" y1="${tidy(paint.from[1])}" x2="${tidy(paint.to[0])}" y2="${tidy(paint.to[1])}"`,
        ]
      : ['radialGradient', `cx="${tidy(paint.center[0])}" cy="${tidy(paint.center[1])}" r="${tidy(paint.radius)}"`]
  definitions.push(`<${name} id="${id}" gradientUnits="userSpaceOnUse" ${place}>${stops.join('')}</${name}>`)
  return ` fill="url(#${id})"`
}

/** Opacity apart: older programs do not read `#rrggbbaa`. */
function colorAs(property: 'fill' | 'stop', color: string, suffix = ''): string {
  const opacity = color.length === 9 ? ` ${property}-opacity="${tidy(Number.parseInt(color.slice(7), 16) / 255)}"` : ''
  return ` ${property}${suffix}="${color.slice(0, 7)}"${opacity}`
}

function tidy(value: number): string {
  return String(Math.round(value * 1000) / 1000)
}
